#include "rl/rover.hpp"

#include <algorithm>
#include <cmath>

namespace horus::rl {

void look(const RoverSettings& settings, const RoverState& state, const Shapes& shapes, const double* directions,
          std::size_t rays, const RoverView& view) {
  const double w = state.qpos[3];
  const double x = state.qpos[4];
  const double y = state.qpos[5];
  const double z = state.qpos[6];
  double cos = 1.0 - 2.0 * (y * y + z * z);
  double sin = 2.0 * (x * y + w * z);
  const double scale = 1.0 / std::sqrt(cos * cos + sin * sin);
  cos *= scale;
  sin *= scale;
  const double goal_x = state.goal[0] - state.qpos[0];
  const double goal_y = state.goal[1] - state.qpos[1];
  const double distance = std::sqrt(goal_x * goal_x + goal_y * goal_y);
  // The floor keeps the direction finite where robot and goal are at one place.
  const double inverse = 1.0 / std::max(distance, 1e-9);
  *view.distance = distance;
  view.goal[0] = (cos * goal_x + sin * goal_y) * inverse;
  view.goal[1] = (cos * goal_y - sin * goal_x) * inverse;
  view.goal[2] = distance / settings.far;
  view.motion[0] = (cos * state.qvel[0] + sin * state.qvel[1]) / settings.speed;
  view.motion[1] = state.qvel[5] / settings.turn_rate;
  *view.clearance = clearance(shapes, state.qpos[0] + settings.hull_x * cos, state.qpos[1] + settings.hull_x * sin,
                              settings.open) -
                    settings.hull_radius;
  const Heading lidar{state.qpos[0] + settings.lidar_x * cos, state.qpos[1] + settings.lidar_x * sin, cos, sin};
  cast(shapes, lidar, directions, rays, settings.range, view.nearness);
  for (std::size_t k = 0; k < rays; ++k) {
    const double range = view.nearness[k];
    view.nearness[k] = range <= settings.range ? settings.half / (settings.half + range) : 0.0;
  }
}

}  // namespace horus::rl
