import type { Socket } from 'node:net'
import { concerns, type FaultSide, type FaultSwitch } from './fault.ts'

/** The operations of a lane on its connection. */
export interface LaneEvents {
  /** So many bytes of this side have been handed on. */
  passed(side: FaultSide, bytes: number): void
  /** The permitted bytes have been handed on: close both ends. */
  cut(): void
  /** Bytes were swallowed: the connection is beyond repair. */
  lost(): void
}

/** Faster drips come in larger drops. */
const leastDripMs = 20

/** One direction of a connection: reads `source`, and writes to `sink` what the fault lets through. */
export class FaultLane {
  readonly #source: Socket
  readonly #sink: Socket
  readonly #side: FaultSide
  readonly #faults: FaultSwitch
  readonly #events: LaneEvents
  #held: Buffer[] = []
  #passed = 0
  #generation = 0
  #ended = false
  #isDeaf = false
  #dripping: NodeJS.Timeout | undefined

  constructor(source: Socket, sink: Socket, side: FaultSide, faults: FaultSwitch, events: LaneEvents) {
    this.#source = source
    this.#sink = sink
    this.#side = side
    this.#faults = faults
    this.#events = events
    source.on('data', (chunk: Buffer) => this.#arrived(chunk))
    // 'close' without 'end' is a reset. Both mean that no more bytes come from there.
    source.once('end', () => this.#finish())
    source.once('close', () => this.#finish())
    sink.once('close', () => {
      clearInterval(this.#dripping)
      // It drains no more, and a source at rest would never tell of its end.
      source.resume()
    })
    sink.on('drain', () => source.resume())
  }

  /** Lets what was held back go through the fault now in force. */
  release(): void {
    clearInterval(this.#dripping)
    this.#dripping = undefined
    const held = this.#held
    this.#held = []
    for (const chunk of held) this.#arrived(chunk)
    if (this.#ended) this.#finish()
  }

  /** Swallows everything from now on. */
  deafen(): void {
    this.#isDeaf = true
    this.#held = []
  }

  #arrived(chunk: Buffer): void {
    const { fault } = this.#faults
    if (this.#isDeaf) this.#faults.strike()
    else if (fault.kind === 'blackHole') {
      this.#faults.strike()
      this.#events.lost()
    } else if (fault.kind === 'hold' && concerns(fault.side, this.#side)) {
      this.#held.push(chunk)
      this.#faults.strike()
    } else if (fault.kind === 'drip' && concerns(fault.side, this.#side)) {
      this.#held.push(chunk)
      this.#drip(fault.bytesPerSecond)
      this.#faults.strike()
    } else if (fault.kind === 'cut' && fault.side === this.#side) {
      this.#upTo(fault.afterBytes, chunk)
    } else {
      this.#forward(chunk)
    }
  }

  #drip(bytesPerSecond: number): void {
    const everyMs = Math.max(leastDripMs, 1000 / bytesPerSecond)
    const bytes = Math.round((bytesPerSecond * everyMs) / 1000)
    this.#dripping ??= setInterval(() => this.#drop(bytes), everyMs).unref()
  }

  #drop(bytes: number): void {
    const all = Buffer.concat(this.#held)
    const rest = all.subarray(bytes)
    this.#held = rest.length === 0 ? [] : [rest]
    this.#forward(all.subarray(0, bytes))
    if (this.#ended) this.#finish()
  }

  #upTo(afterBytes: number, chunk: Buffer): void {
    if (this.#generation !== this.#faults.generation) this.#passed = 0
    this.#generation = this.#faults.generation
    const allowed = chunk.subarray(0, afterBytes - this.#passed)
    this.#passed += allowed.length
    this.#forward(allowed)
    if (this.#passed < afterBytes) return
    this.#faults.cut()
    this.#events.cut()
  }

  #forward(chunk: Buffer): void {
    if (chunk.length === 0 || !this.#sink.writable) return
    this.#events.passed(this.#side, chunk.length)
    if (!this.#sink.write(chunk)) this.#source.pause()
  }

  #finish(): void {
    this.#ended = true
    if (this.#isDeaf) return
    if (this.#held.length > 0 || this.#faults.fault.kind === 'blackHole') return
    this.#sink.end()
  }
}
