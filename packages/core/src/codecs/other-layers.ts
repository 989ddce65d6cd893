import type { Bytes } from '../contract/bytes.ts'

/** How what other layers write begins: none of it is text in UTF-8. See their pages in docs/reference. */
const beginnings: readonly (readonly [beginning: readonly number[], looks: string, layer: string])[] = [
  [[0x9e, 0x75, 0x6b, 0x76], 'encrypted', 'encryption'],
  [[0xc1], 'compressed', 'compression'],
  [[0xf9], 'written as deltas', 'delta'],
]

/** Advice for bytes that a codec did not write, by the layer of unikv that seems to have written them. */
export function otherLayerOf(stored: Bytes): string {
  const found = beginnings.find(([beginning]) => beginning.every((byte, i) => stored[i] === byte))
  if (found === undefined) return 'Check that the same layers wrote it.'
  const [, looks, layer] = found
  return `It looks ${looks} by unikv: add the layer ${layer}() that wrote it, below the codec.`
}
