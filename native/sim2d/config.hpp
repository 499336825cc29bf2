// Every knob of the solver.
#pragma once

namespace horus::sim2d {

struct SolverConfig {
  int velocity_iterations = 10;
  // Iterations end early when no row would change a velocity by more than this [m/s].
  double velocity_tolerance = 1e-10;
  // The same for contacts that do not bounce, which under gravity are solved ten times as exactly [m/s].
  double resting_tolerance = 1e-5;
  // Shares of the velocity lost [1/s].
  double linear_damping = 0.0;
  double angular_damping = 0.0;
  double max_linear_speed = 15.0;
  double max_angular_speed = 40.0;
  double max_step_translation = 0.5;
  double correction_percent = 0.5;
  double correction_slop = 0.002;
  double max_correction = 0.05;
  // Bodies nearer than this touch [m].
  double contact_margin = 1e-4;
  // Slower impacts do not bounce [m/s].
  double restitution_threshold = 0.01;
  // Scales the friction of passive bodies on the floor; 0 turns it off.
  double ground_friction = 1.0;
  double ground_gravity = 9.81;
  // Joints of at least this stiffness are hard constraints [N/m].
  double rigid_stiffness = 1000.0;
  bool warm_starting = true;
  bool swept_contacts = true;
};

}  // namespace horus::sim2d
