// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "queue.h"

namespace glcl {

/// Several devices, of any platforms, that share work which comes in equal units, whatever it is.
/// Shares follow the speeds that earlier runs showed; where all of it on the fastest device alone
/// is quicker, that one works alone.
class Team {
 public:
  /// How the host waits: a thread for each device, or one thread that starts all of them and
  /// watches their events.
  enum class Drive { threads, events };

  struct Member {
    std::shared_ptr<Context> context;
    std::unique_ptr<Queue> queue;
    double speed = 0;  ///< units per second, copies included; 0 until it has worked
  };

  /// Enqueues units begin … end − 1 with all that they need on member `index`; must not wait.
  using Work = std::function<void(size_t index, Member &member, int begin, int end)>;

  /// Throws Error::settings where there are no devices.
  explicit Team(const std::vector<Device> &devices, Drive drive = Drive::threads);

  size_t size() const { return members_.size(); }
  Member &member(size_t index) { return members_[index]; }

  /// Splits `units` among the members, as equally as their speeds are until all have shown theirs,
  /// has each enqueue its part and waits for all. Rethrows what any of them throws, after that.
  void run(int units, const Work &work);
  /// The same with shares that the caller chooses: units of each member, 0 for none.
  void run_shares(const std::vector<int> &shares, const Work &work);
  /// The shares that run() would give.
  std::vector<int> shares(int units) const;

 private:
  std::vector<Member> members_;
  Drive drive_;
  double shared_ = 0, alone_ = 0;  // s per unit, of the last runs of both kinds
};

/// The devices of a list of wishes, separated by commas, each as for choose_device. A device that
/// several platforms offer, or that is named twice, is taken once. Throws Error::not_found.
std::vector<Device> choose_devices(const std::vector<Device> &devices, const std::string &wishes);

/// Whether two entries stand for one piece of hardware: the same UUID or PCI address, or both the
/// host's CPU.
bool same_hardware(const Device &a, const Device &b);

}  // namespace glcl
