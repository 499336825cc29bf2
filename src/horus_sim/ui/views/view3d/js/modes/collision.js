// The view mode of collision shapes: what touches, as wire frames.

export default class CollisionMode {
  constructor(view) {
    this.view = view;
  }

  adopt() {
    this.show(this.isShown);
  }

  show(shown) {
    this.isShown = shown;
    this.view.model?.showCollisions(shown);
  }
}
