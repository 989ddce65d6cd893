/*
 * Statements are sent as one message of the protocol's extended query: the values bound to what the connection has
 * prepared, and the orders to execute it and to end. pg would also ask for a description of the columns, and takes the
 * values apart twice: with it a read takes a sixth longer, measured.
 */

/** A parameter of a statement: bytes in the binary form of their type, everything else as text. */
export type Parameter = Uint8Array | string | number | null

/** Execute without a limit of rows. */
const execute = Uint8Array.of(0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0)
/** The same, then Sync. */
const executeAndSync = Uint8Array.of(...execute, 0x53, 0, 0, 0, 4)
const bindCode = 0x42
/** Size of the fixed fields of Bind: its length, two empty or ended names, two counts, the one form of all results. */
const fixedBytes = 4 + 2 + 2 + 2 + 4
const int16Bytes = 2
const int32Bytes = 4

/**
 * Bind, Execute and Sync for a prepared statement; without Sync where others follow. A copy of the values.
 *
 * @param name in ASCII; `''` is the unnamed statement
 * @param results the form of all columns
 */
export function bindMessage(
  name: string,
  values: readonly Parameter[],
  results: 'text' | 'binary' = 'text',
  isLast: boolean = true,
): Buffer {
  const end = isLast ? executeAndSync : execute
  const texts = values.map((value) => (typeof value === 'number' ? String(value) : value))
  const size = texts.reduce<number>((sum, value) => sum + sizeOf(value), fixedBytes + name.length)
  const message = Buffer.allocUnsafe(1 + size + end.length)
  message[0] = bindCode
  let at = message.writeInt32BE(size, 1)
  message[at++] = 0 // the portal has no name
  at += message.write(name, at, 'latin1')
  message[at++] = 0
  at = message.writeInt16BE(texts.length, at)
  for (const value of texts)
    at = message.writeInt16BE(typeof value === 'object' && value !== null ? 1 : 0, at)
  at = message.writeInt16BE(texts.length, at)
  for (const value of texts) at = put(message, value, at)
  at = message.writeInt16BE(1, at)
  at = message.writeInt16BE(results === 'binary' ? 1 : 0, at)
  message.set(end, at)
  return message
}

/** Close for a prepared statement; it may not be there. `name` is in ASCII. */
export function closeMessage(name: string): Buffer {
  const message = Buffer.from(`C0000S${name}\0`, 'latin1')
  message.writeInt32BE(message.length - 1, 1)
  return message
}

function sizeOf(value: Uint8Array | string | null): number {
  const bytes = typeof value === 'string' ? Buffer.byteLength(value) : (value?.length ?? 0)
  return int16Bytes + int32Bytes + bytes
}

/** Length and bytes of a value; -1 for null. */
function put(message: Buffer, value: Uint8Array | string | null, at: number): number {
  if (value === null) return message.writeInt32BE(-1, at)
  if (typeof value === 'string') {
    const length = message.write(value, at + int32Bytes)
    return message.writeInt32BE(length, at) + length
  }
  message.set(value, message.writeInt32BE(value.length, at))
  return at + int32Bytes + value.length
}
