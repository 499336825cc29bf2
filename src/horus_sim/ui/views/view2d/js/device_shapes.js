// What devices look like [m], in the frame of their mount: the same as nodes and on a canvas.

const WHEEL_ASPECT = 0.45;

export const PUSH_M = 0.06; // length of the arrow of a full command
export const EYE = "M-0.008 -0.008L0.01 0L-0.008 0.008Z";
export const CHIP = { x: -0.008, y: -0.008, width: 0.016, height: 0.016, rx: 0.002 };
export const AXES = "M0 0H0.012M0 0V0.012";
export const RING_RADIUS = 0.007;
export const JOINT_RADIUS = 0.008;

export function wheelBox({ radius }) {
  const [length, width] = [2 * radius, 2 * radius * WHEEL_ASPECT];
  return { x: -length / 2, y: -width / 2, width: length, height: width, rx: width / 4 };
}

export const dotRadius = ({ spacing }) => Math.min(0.008, Math.max(0.004, 0.4 * (spacing || 0.02)));

// y of the dots of a line sensor, from left to right.
export const dotPlaces = ({ count, spacing }) => Array.from({ length: count }, (_, k) => (0.5 * (count - 1) - k) * spacing);

export const rayAngles = ({ count, spacing }) => Array.from({ length: count }, (_, k) => (k - 0.5 * (count - 1)) * spacing);

// Whether a distance [m] ends at something, and not at the end of the range.
export const isHit = (length, { range }) => length < range * 0.999;

// Arrow of a robot's front, as a path; '' if it has no front.
export function nosePath({ radius, points }) {
  const reach = radius ?? Math.max(0, ...points.map(([x]) => x));
  const size = 0.28 * reach;
  const x = 0.55 * reach;
  return size > 0 ? `M${x - size / 2} ${size / 2}L${x + size / 2} 0L${x - size / 2} ${-size / 2}` : "";
}
