#include "hub_sender.hpp"

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

#include "gil.hpp"
#include "hub_codec.hpp"
#include "hub_slots.hpp"

namespace horus::bindings {
namespace {

constexpr std::size_t GID_BYTES = 16;

// What goes beside every message; numbers are little endian.
struct Beside {
  std::int64_t sequence = 0;
  std::int64_t sent_ns = 0;
  std::uint8_t gid_bytes = GID_BYTES;
  std::uint8_t gid[GID_BYTES] = {};
  static constexpr std::size_t SIZE = 8 + 8 + 1 + GID_BYTES;

  void copy_to(char* place) const {
    std::memcpy(place, &sequence, 8);
    std::memcpy(place + 8, &sent_ns, 8);
    std::memcpy(place + 16, &gid_bytes, 1);
    std::memcpy(place + 17, gid, GID_BYTES);
  }
};

// Takes a mutex; who has it may wait for the GIL.
class Turn {
 public:
  explicit Turn(std::mutex& mutex) : mutex_(mutex) {
    if (mutex_.try_lock()) return;
    ReleaseGil released;
    mutex_.lock();
  }
  ~Turn() { mutex_.unlock(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::mutex& mutex_;
};

class Sender {
 public:
  Sender(nb::object kind, nb::object codec, nb::object to_fields, nb::object hub, nb::bytes gid, nb::object put,
         nb::object refuse)
      : kind_(std::move(kind)),
        codec_object_(std::move(codec)),
        codec_(nb::cast<Codec*>(codec_object_)),
        to_fields_(std::move(to_fields)),
        hub_(std::move(hub)),
        put_(std::move(put)),
        refuse_(std::move(refuse)),
        keywords_(nb::make_tuple("attachment")),
        has_encoded_(nb::hasattr(kind_, "encoded")) {
    if (gid.size() != GID_BYTES) throw nb::value_error("a GID has 16 bytes");
    std::memcpy(beside_.gid, gid.c_str(), GID_BYTES);
  }

  void send(nb::handle message) {
    if (reinterpret_cast<PyObject*>(Py_TYPE(message.ptr())) != kind_.ptr()) return refuse(message);
    if (has_encoded_) {
      const nb::object encoded = encoded_of(message.ptr());
      if (!encoded.is_none()) return put(message, encoded);
    }
    // Taken while the GIL is held: a second thread, and a message that sends another one, make their own.
    nb::object payload = std::exchange(payload_, nb::object());
    if (!payload.is_valid()) payload = owned(PyByteArray_FromStringAndSize(nullptr, 0));
    try {
      if (to_fields_.is_none()) {
        codec_->encode_into(message.ptr(), payload.ptr());
      } else {
        codec_->encode_into(to_fields_(message).ptr(), payload.ptr());
      }
    } catch (const nb::builtin_exception&) {
      return refuse(message);
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_ValueError)) return refuse(message);
      throw;
    }
    put(message, payload);
    payload_ = std::move(payload);
  }

  std::int64_t sent() const { return sent_; }

  // Waits for who sends; from then on messages are refused. Gives whether it was open.
  bool close() {
    nb::object put;
    const Turn turn(mutex_);
    put = std::exchange(put_, nb::object());
    return put.is_valid();
  }

  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    const Sender& sender = *nb::inst_ptr<Sender>(self);
    for (const nb::object* each : {&sender.kind_, &sender.codec_object_, &sender.to_fields_, &sender.hub_, &sender.put_,
                                   &sender.refuse_}) {
      Py_VISIT(each->ptr());
    }
    return 0;
  }

  static int clear(PyObject* self) {
    Sender& sender = *nb::inst_ptr<Sender>(self);
    for (nb::object* each : {&sender.hub_, &sender.put_, &sender.refuse_}) each->reset();
    return 0;
  }

 private:
  // The bytes of a message that is kept as such; None where it is not.
  nb::object encoded_of(PyObject* message) {
    static PyObject* const name = PyUnicode_InternFromString("encoded");
    PyObject* const slot = encoded_.find(message, name);
    return slot != nullptr ? nb::borrow(slot) : owned(PyObject_GetAttr(message, name));
  }

  // Under a lock it numbers and sends the message: what zenoh does in two steps, in which two threads lose some.
  void put(nb::handle message, nb::handle payload) {
    const Turn turn(mutex_);
    if (!put_.is_valid()) return refuse(message);
    const std::int64_t sequence = sent_ + 1;
    const nb::object attachment = beside(sequence);
    PyObject* arguments[] = {nullptr, payload.ptr(), attachment.ptr()};
    owned(PyObject_Vectorcall(put_.ptr(), arguments + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, keywords_.ptr()));
    sent_ = sequence;
  }

  // Tells by an error why a message is not sent.
  void refuse(nb::handle message) const { refuse_(message); }

  nb::object beside(std::int64_t sequence) {
    static PyObject* const epoch_name = PyUnicode_InternFromString("_epoch");
    static PyObject* const clock_name = PyUnicode_InternFromString("_clock");
    const Owned epoch = owned(PyObject_GetAttr(hub_.ptr(), epoch_name));
    const Owned clock = owned(PyObject_GetAttr(hub_.ptr(), clock_name));
    const Owned now = owned(PyObject_CallNoArgs(clock.ptr()));
    Beside beside = beside_;
    beside.sequence = sequence;
    beside.sent_ns = PyLong_AsLongLong(now.ptr());
    const std::uint64_t run = PyLong_AsUnsignedLongLong(epoch.ptr());
    if (PyErr_Occurred()) throw nb::python_error();
    std::uint64_t rest = 0;
    std::memcpy(&rest, beside.gid + 8, 8);
    rest ^= run;
    std::memcpy(beside.gid + 8, &rest, 8);
    Owned bytes = owned(PyBytes_FromStringAndSize(nullptr, Beside::SIZE));
    beside.copy_to(PyBytes_AsString(bytes.ptr()));
    return bytes;
  }

  static_assert(std::endian::native == std::endian::little);
  nb::object kind_, codec_object_;
  Codec* codec_;
  nb::object to_fields_, hub_, put_, refuse_;
  nb::object keywords_, payload_;
  bool has_encoded_;
  SlotReader encoded_;
  Beside beside_;
  std::mutex mutex_;
  std::atomic<std::int64_t> sent_{0};
};

PyType_Slot sender_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&Sender::traverse)},
                              {Py_tp_clear, reinterpret_cast<void*>(&Sender::clear)},
                              {0, nullptr}};

}  // namespace

void bind_message_sender(nb::module_& m) {
  nb::class_<Sender>(m, "MessageSender", nb::type_slots(sender_slots))
      .def(nb::init<nb::object, nb::object, nb::object, nb::object, nb::bytes, nb::object, nb::object>(), nb::arg("kind"),
           nb::arg("codec"), nb::arg("to_fields").none(), nb::arg("hub"), nb::arg("gid"), nb::arg("put"), nb::arg("refuse"))
      .def("send", &Sender::send, nb::arg("message"))
      .def("close", &Sender::close)
      .def_prop_ro("sent", &Sender::sent);
}

}  // namespace horus::bindings
