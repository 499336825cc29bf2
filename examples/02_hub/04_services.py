"""A program asks, and another one answers: at once, later, or not at all."""

from __future__ import annotations

from concurrent.futures import Future

from horus_sim.errors import HubError, ServiceTimeoutError
from horus_sim.hub import connect
from horus_sim.hub.ros.service_type import register_service

register_service(
    "kitchen/srv/Cook",
    """
    string dish
    float64 minutes 10.0
    ---
    bool done
    string message
    """,
)


def main() -> None:
    """Both programs are threads of this one; over a network nothing else would change."""
    on_the_stove: list[tuple[str, Future]] = []

    def cook(request: dict) -> dict | Future:
        """Refuses, or answers when the dish is done."""
        if request["minutes"] > 60.0:
            return {"done": False, "message": f"{request['dish']} takes too long"}
        on_the_stove.append((request["dish"], Future()))
        return on_the_stove[-1][1]

    with connect(name="kitchen") as kitchen, connect(name="guest") as guest:
        kitchen.serve("kitchen/cook", "kitchen/srv/Cook", cook, in_own_thread=False)
        client = guest.client("kitchen/cook", "kitchen/srv/Cook")

        print(client.call(dish="ham", minutes=90.0))

        later = client.call_async(dish="soup")
        print(f"answered already: {later.done()}")
        for dish, answer in on_the_stove:
            answer.set_result({"done": True, "message": f"{dish} is served"})
        print(later.result())

        try:
            client.call(dish="tea", timeout=0.1)
        except ServiceTimeoutError as error:
            print(error)
        try:
            client.call(dsh="tea")
        except HubError as error:
            print(error)


if __name__ == "__main__":
    main()
