"""Answers look-ups with the real tf2; `tf2.py` starts it, under a Python that has tf2_py.

Reads a world of transforms and look-ups as one line of JSON, and writes its answers as one line.
"""

# ruff: noqa: ANN001, ANN201 - for the types of ROS 1 there are no stubs
import json
import sys

import rospy
import tf2_py
from geometry_msgs.msg import TransformStamped

NS = 1_000_000_000
KINDS = {
    tf2_py.LookupException: "unknown",
    tf2_py.ConnectivityException: "disconnected",
    tf2_py.ExtrapolationException: "extrapolation",
}


def ros_time(stamp_ns):
    """Nanoseconds as a time of ROS."""
    return rospy.Time(*divmod(stamp_ns, NS))


def message(parent, child, stamp_ns, pose):
    """T_parent_child, its pose as x, y, z and a quaternion xyzw."""
    stamped = TransformStamped()
    stamped.header.frame_id = parent
    stamped.header.stamp = ros_time(stamp_ns or 0)
    stamped.child_frame_id = child
    t, q = stamped.transform.translation, stamped.transform.rotation
    t.x, t.y, t.z, q.x, q.y, q.z, q.w = pose
    return stamped


def answer(buffer, source, target, time_ns):
    """["ok", stamp, pose], or the kind of error and whether the newest chain joins the frames."""
    try:
        stamped = buffer.lookup_transform_core(target, source, ros_time(time_ns or 0))
    except tuple(KINDS) as error:
        joined = True
        try:
            buffer.get_latest_common_time(source, target)
        except tf2_py.TransformException:
            joined = False
        return [KINDS[type(error)], joined, str(error)]
    t, q = stamped.transform.translation, stamped.transform.rotation
    return ["ok", stamped.header.stamp.to_nsec(), [t.x, t.y, t.z, q.x, q.y, q.z, q.w]]


def main():
    """Answers until the input ends."""
    for line in sys.stdin:
        world = json.loads(line)
        buffer = tf2_py.BufferCore(rospy.Duration(*divmod(world["buffer_ns"], NS)))
        answers = []
        for kind, *values in world["work"]:
            if kind == "ask":
                answers.append(answer(buffer, *values))
            elif kind == "static":
                buffer.set_transform_static(message(*values), "fuzz")
            else:
                buffer.set_transform(message(*values), "fuzz")
        print(json.dumps(answers), flush=True)


main()
