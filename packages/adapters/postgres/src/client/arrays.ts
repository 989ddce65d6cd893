/*
 * Arrays as parameters, in the binary form of the protocol, which takes half the bytes of their text:
 * dimensions, whether there are nulls, type of the elements, length, index of the first; then each element with its
 * length in front, -1 for null.
 */

const headerBytes = 20
const types = { bytea: 17, int8: 20, text: 25 } as const

/** `bytea[]` of one or more items. */
export function byteaArray(items: readonly Uint8Array[]): Buffer {
  return arrayOf(types.bytea, items)
}

/** `text[]` of texts in UTF-8. */
export function textArray(items: readonly Uint8Array[]): Buffer {
  return arrayOf(types.text, items)
}

/** `int8[]` of safe integers and nulls. */
export function int8Array(items: readonly (number | null)[]): Buffer {
  return arrayOf(types.int8, items.map(int8))
}

function int8(value: number | null): Uint8Array | null {
  if (value === null) return null
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}

function arrayOf(type: number, items: readonly (Uint8Array | null)[]): Buffer {
  const length = items.reduce((sum, item) => sum + 4 + (item?.length ?? 0), headerBytes)
  const array = Buffer.allocUnsafe(length)
  const header = [1, items.includes(null) ? 1 : 0, type, items.length, 1]
  let at = 0
  for (const number of header) at = array.writeInt32BE(number, at)
  for (const item of items) {
    at = array.writeInt32BE(item?.length ?? -1, at)
    if (item === null) continue
    array.set(item, at)
    at += item.length
  }
  return array
}
