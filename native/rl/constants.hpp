// Constants of a model that follow from its masses: what MuJoCo's mj_setConst computes of a tree of bodies, at the cost
// of what depends on masses alone.
#pragma once

#include <cstddef>
#include <vector>

namespace horus::rl {

// A tree of bodies in its reference pose. Vectors are row-major.
struct MassTree {
  std::size_t bodies = 0;
  std::size_t dofs = 0;
  std::vector<int> parent;          // of each body; that of the world is 0
  std::vector<double> position;     // of each body's frame, world, (bodies, 3) [m]
  std::vector<double> rotation;     // of each body's frame, world, (bodies, 3, 3)
  std::vector<double> inertial;     // rotation of each body's axes of inertia, world, (bodies, 3, 3)
  std::vector<int> dof_body;        // the body that each degree of freedom moves
  std::vector<int> dof_slides;      // whether it moves along its axis, else it turns about it
  std::vector<double> dof_axis;     // world, (dofs, 3)
  std::vector<double> dof_anchor;   // a point of its axis, world, (dofs, 3) [m]
  std::vector<int> dof_group;       // first of the degrees of freedom that share a mean inverse inertia
};

// Of one environment.
struct Masses {
  const double* mass;      // (bodies,) [kg]
  const double* inertia;   // about the axes of inertia, (bodies, 3) [kg m^2]
  const double* offset;    // centre of mass in the body's frame, (bodies, 3) [m]
  const double* armature;  // (dofs,)
};

struct MassConstants {
  double* subtree_mass;    // (bodies,) [kg]
  double* body_invweight;  // mean of J M^-1 J^T for translation and rotation, (bodies, 2)
  double* dof_inertia;     // diagonal of M, (dofs,)
  double* dof_invweight;   // (dofs,)
};

class MassSolver {
 public:
  explicit MassSolver(MassTree tree);
  const MassTree& tree() const { return tree_; }
  // False where the inertia is not positive definite; nothing is written then.
  bool solve(const Masses& masses, const MassConstants& out);

 private:
  void move(std::size_t body, const double* offset);
  bool invert();

  MassTree tree_;
  std::vector<std::vector<std::size_t>> chain_;  // degrees of freedom that move each body
  std::vector<double> matrix_, inverse_, factor_;
  std::vector<double> linear_, angular_;  // Jacobians of the centres of mass, (bodies, dofs, 3)
};

}  // namespace horus::rl
