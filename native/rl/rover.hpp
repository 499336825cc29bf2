// What a robot that drives on a plane knows of its goal, its motion and what is around it.
#pragma once

#include <cstddef>

#include "rl/plane.hpp"

namespace horus::rl {

struct RoverSettings {
  double lidar_x;      // where the lidar is, ahead of the robot's origin [m]
  double range;        // how far it sees [m]
  double half;         // distance that is seen as one half [m]
  double hull_x;       // centre of the hull, ahead of the origin [m]
  double hull_radius;  // [m]
  double open;         // clearance of the hull's centre where nothing is near [m]
  double far;          // distance of a goal that is seen as 1 [m]
  double speed;        // speed ahead that is seen as 1 [m/s]
  double turn_rate;    // rate of turning that is seen as 1 [rad/s]
};

// Of one environment. The state is that of a free joint: x, y, z, quaternion w, x, y, z; linear speed in the world,
// angular in the robot's frame.
struct RoverState {
  const double* qpos;
  const double* qvel;
  const double* goal;  // x, y [m], world
};

struct RoverView {
  double* distance;   // to the goal [m]
  double* goal;       // direction, robot's frame, and distance
  double* motion;     // ahead, turning
  double* clearance;  // of the hull [m]
  double* nearness;   // half / (half + range) of each ray, 0 where nothing is seen
};

void look(const RoverSettings& settings, const RoverState& state, const Shapes& shapes, const double* directions,
          std::size_t rays, const RoverView& view);

}  // namespace horus::rl
