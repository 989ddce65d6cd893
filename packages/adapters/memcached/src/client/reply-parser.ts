/** One reply of the server, as it came. */
export interface Reply {
  /** Its first line, without the line break: `HD O1`, `VA 5 f0 O2`, `SERVER_ERROR …`. */
  readonly line: string
  /** The data behind a `VA` line. */
  readonly value: Buffer | undefined
}

/** A value that is on its way. */
interface PartialReply {
  readonly line: string
  readonly value: Buffer
  /** How much of it has come. */
  filled: number
}

/** Longer lines are not replies of memcached. */
const maxLineBytes = 8_192
/** No item is larger: the most that `-I` takes. */
const maxItemBytes = 2 ** 30
const carriageReturn = 13
const lineFeed = 10
const lineBreakBytes = 2

/** Cuts the stream of a connection into replies, wherever its chunks begin and end. */
export class ReplyParser {
  readonly #take: (reply: Reply) => void
  /** The beginning of a line. */
  #rest: Buffer | undefined
  #partial: PartialReply | undefined

  /** `take` gets each reply in order. */
  constructor(take: (reply: Reply) => void) {
    this.#take = take
  }

  /** @throws Error if this is not the protocol */
  push(chunk: Buffer): void {
    let at = this.#partial === undefined ? 0 : this.#fill(this.#partial, chunk)
    let bytes = chunk
    if (this.#rest !== undefined) {
      bytes = Buffer.concat([this.#rest, chunk])
      this.#rest = undefined
    }
    while (at < bytes.length) {
      const end = bytes.indexOf(lineFeed, at)
      if (end === -1) {
        if (bytes.length - at > maxLineBytes) throw new Error('The server sent a line without an end.')
        this.#rest = bytes.subarray(at)
        return
      }
      // A line without a carriage return is not from memcached: a proxy, or the middle of a value.
      if (end === at || bytes[end - 1] !== carriageReturn)
        throw new Error('The server sent a line with an invalid end.')
      const line = bytes.toString('latin1', at, end - 1)
      at = end + 1
      if (line.startsWith('VA ')) at = this.#value(line, bytes, at)
      else this.#take({ line, value: undefined })
    }
  }

  /** Take the value of a line if it is there as a whole; the position after it. */
  #value(line: string, bytes: Buffer, from: number): number {
    const size = Number(/^VA (\d{1,10})(?: |$)/.exec(line)?.[1])
    if (!(size <= maxItemBytes)) throw new Error('The server sent a value with an invalid size.')
    const end = from + size + lineBreakBytes
    if (end <= bytes.length) {
      checkEnd(bytes, end)
      this.#take({ line, value: bytes.subarray(from, from + size) })
      return end
    }
    const value = Buffer.allocUnsafeSlow(size + lineBreakBytes)
    this.#partial = { line, value, filled: bytes.copy(value, 0, from) }
    return bytes.length
  }

  /** Go on with the value that is on its way; the position after it. */
  #fill(partial: PartialReply, chunk: Buffer): number {
    const used = chunk.copy(partial.value, partial.filled)
    partial.filled += used
    if (partial.filled === partial.value.length) {
      this.#partial = undefined
      checkEnd(partial.value, partial.filled)
      this.#take({ line: partial.line, value: partial.value.subarray(0, -lineBreakBytes) })
    }
    return used
  }
}

/** A value that is not followed by a line break has another length than the server said. */
function checkEnd(bytes: Buffer, end: number): void {
  if (bytes[end - lineBreakBytes] !== carriageReturn || bytes[end - 1] !== lineFeed)
    throw new Error('The server sent a value whose length does not match its header.')
}
