/**
 * A list filled up with its last item to the next power of two, so that statements over lists come in few lengths
 * and each connection prepares few of them. Repeating a key changes neither what is read nor what is deleted.
 */
export function padded<T>(items: readonly T[]): readonly T[] {
  const { length } = items
  const size = powerOfTwoFrom(length)
  return size === length ? items : Array.from({ length: size }, (_, i) => items[Math.min(i, length - 1)] as T)
}

/** The smallest power of two that is not less; 0 for 0. */
export function powerOfTwoFrom(count: number): number {
  return count <= 1 ? count : 2 ** (32 - Math.clz32(count - 1))
}
