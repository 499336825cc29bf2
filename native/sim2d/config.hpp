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

  // Every knob, once: Python sets them by these names.
  static void fields(auto visit) {
    visit("velocity_iterations", &SolverConfig::velocity_iterations);
    visit("velocity_tolerance", &SolverConfig::velocity_tolerance);
    visit("resting_tolerance", &SolverConfig::resting_tolerance);
    visit("linear_damping", &SolverConfig::linear_damping);
    visit("angular_damping", &SolverConfig::angular_damping);
    visit("max_linear_speed", &SolverConfig::max_linear_speed);
    visit("max_angular_speed", &SolverConfig::max_angular_speed);
    visit("max_step_translation", &SolverConfig::max_step_translation);
    visit("correction_percent", &SolverConfig::correction_percent);
    visit("correction_slop", &SolverConfig::correction_slop);
    visit("max_correction", &SolverConfig::max_correction);
    visit("contact_margin", &SolverConfig::contact_margin);
    visit("restitution_threshold", &SolverConfig::restitution_threshold);
    visit("ground_friction", &SolverConfig::ground_friction);
    visit("ground_gravity", &SolverConfig::ground_gravity);
    visit("rigid_stiffness", &SolverConfig::rigid_stiffness);
    visit("warm_starting", &SolverConfig::warm_starting);
    visit("swept_contacts", &SolverConfig::swept_contacts);
  }
};

}  // namespace horus::sim2d
