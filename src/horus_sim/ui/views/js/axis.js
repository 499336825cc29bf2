// The range of an axis and the round numbers along it.

// Smaller parts of a number than this are the noise of floats.
const FINEST = 1e-6;

// The least range with all finite values and a margin.
export function rangeOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) [low, high] = [0, 0];
  const pad = Math.max(0.06 * (high - low), FINEST * Math.abs(low), FINEST * Math.abs(high)) || 0.5;
  return [low - pad, high + pad];
}

// At most so many multiples of 1, 2 or 5 times a power of ten within a range.
export function ticks(low, high, most) {
  const power = 10 ** Math.floor(Math.log10((high - low) / most));
  const step = [1, 2, 5, 10].map((n) => n * power).find((size) => (high - low) / size <= most);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: Math.min(count, most + 1) || 0 }, (_, i) => (first + i) * step);
}
