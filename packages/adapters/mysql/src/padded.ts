/**
 * A list filled up with its last item to the next power of two, so that statements over lists come in few lengths
 * and each connection prepares few of them. Repeating a key changes neither what is read nor what is deleted.
 */
export function padded<T>(items: readonly T[]): readonly T[] {
  const { length } = items
  const size = length <= 1 ? length : 2 ** (32 - Math.clz32(length - 1))
  return size === length ? items : Array.from({ length: size }, (_, i) => items[Math.min(i, length - 1)] as T)
}
