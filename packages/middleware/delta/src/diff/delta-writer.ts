import { type Header, maxVarintBytes, minCopyBytes, writeHeader, writeVarint } from './format.ts'

/** Deltas up to this length are written into a room that is kept for the next call. */
const keptBytes = 262_144
let keptRoom: Buffer | undefined

/** Writes instructions for a target. Copies come in the order of the target and do not overlap. */
export class DeltaWriter {
  readonly #target: Buffer
  readonly #headerEnd: number
  #room: Buffer
  #at: number
  /** Up to here the target is written. */
  #written = 0
  /** Where in the base the last written copy ends. */
  #baseAt = 0
  /** The last copy, not yet written: the next one may lengthen it, shorten it or take its place. */
  #from = 0
  #start = 0
  #end = 0

  constructor(target: Buffer, header: Omit<Header, 'end'>) {
    this.#target = target
    keptRoom ??= Buffer.allocUnsafeSlow(keptBytes)
    this.#room = keptRoom
    this.#headerEnd = writeHeader(this.#room, header)
    this.#at = this.#headerEnd
  }

  /** Up to here the target is told by copies. */
  get end(): number {
    return this.#end
  }

  /** Distance from a place in the target to its place in the base, if nothing is moved. */
  get shift(): number {
    return this.#from - this.#start
  }

  /** The `shift` of the copy before the last. */
  get previousShift(): number {
    return this.#baseAt - this.#written
  }

  /** Length of the last copy. */
  get lastLength(): number {
    return this.#end - this.#start
  }

  /** The target from `start` on is the base from `from` on. Bytes before it that no copy tells are inserted. */
  copy(from: number, start: number, length: number): void {
    if (start < this.#end) this.#cutLast(start)
    if (start === this.#end && from - start === this.shift) {
      this.#end += length
      return
    }
    this.#flush()
    this.#from = from
    this.#start = start
    this.#end = start + length
  }

  /** The whole delta, in bytes of its own. It is never longer than one that inserts the whole target. */
  finish(): Buffer {
    this.#flush()
    if (this.#written < this.#target.length) this.#insert(this.#target.length, 0)
    if (this.#at - this.#headerEnd > this.#target.length + maxVarintBytes) this.#insertAll()
    const delta = this.#room.subarray(0, this.#at)
    const kept = this.#room === keptRoom || delta.length < this.#room.length / 2
    return kept ? Buffer.from(delta) : delta
  }

  #insertAll(): void {
    this.#at = this.#headerEnd
    this.#written = 0
    this.#insert(this.#target.length, 0)
  }

  /** The next copy begins within the last one. */
  #cutLast(end: number): void {
    this.#end = end - this.#start < minCopyBytes ? this.#start : end
  }

  #flush(): void {
    const length = this.#end - this.#start
    if (length === 0) return
    const expected = this.#baseAt + this.#start - this.#written
    const moved = this.#from - expected
    this.#insert(this.#start, moved === 0 ? 0 : 1)
    this.#at = writeVarint(this.#room, this.#at, length - minCopyBytes)
    if (moved !== 0) this.#at = writeVarint(this.#room, this.#at, ((moved << 1) ^ (moved >> 31)) >>> 0)
    this.#written = this.#end
    this.#baseAt = this.#from + length
  }

  /** The start of an instruction: what is inserted, and whether the copy behind it is moved. */
  #insert(end: number, moved: 0 | 1): void {
    const length = end - this.#written
    this.#reserve(length + 3 * maxVarintBytes)
    this.#at = writeVarint(this.#room, this.#at, length * 2 + moved)
    if (length < 32) {
      for (let i = this.#written; i < end; i++) this.#room[this.#at++] = this.#target[i] as number
    } else {
      this.#at += this.#target.copy(this.#room, this.#at, this.#written, end)
    }
  }

  #reserve(length: number): void {
    const needed = this.#at + length
    if (needed <= this.#room.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.floor(1.5 * this.#room.length)))
    this.#room.copy(larger, 0, 0, this.#at)
    this.#room = larger
  }
}
