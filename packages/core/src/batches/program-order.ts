/**
 * Program order, key by key, for calls that are still under way: a read waits for earlier writes of its key, a
 * write for earlier reads and writes of it. First come, first served; calls that name several keys take their
 * place at all of them at once, so that nothing can deadlock.
 *
 * Reads of free keys, and a write that is alone, only stand in a row, and get their gates when another call comes that
 * needs them: without writes, and for one call after another, order costs a few nanoseconds a call.
 */
export class ProgramOrder {
  #gates = new Map<string, Gate>()
  /** Calls under way that no gate knows of: reads, or one write. */
  readonly #row: Ordered[] = []
  /** Writes that are in or wait. */
  #writes = 0
  /** How many gates are held or waited for, a gate once a call. */
  #held = 0
  readonly #guards: Guard[] = []
  #isGuarded = true

  /** Whether a call on these keys may start now. */
  isFree(items: readonly Keyed[], mode: Mode): boolean {
    return (
      (this.#writes === 0 && (mode === 'read' || (this.#row.length === 0 && this.#held === 0))) ||
      this.#areOpen(items, mode)
    )
  }

  /** Let this one act on keys before every call that comes from now on. It counts as a write that is in. */
  guard(guard: Guard): void {
    this.#writes++
    this.#guards.push(guard)
  }

  /** It has nothing more to do; a second time is fine. */
  unguard(guard: Guard): void {
    const place = this.#guards.indexOf(guard)
    if (place === -1) return
    this.#writes--
    this.#guards.splice(place, 1)
  }

  /** Make calls of a guard, which no guard acts on. */
  unguarded<T>(make: () => T): T {
    const before = this.#isGuarded
    this.#isGuarded = false
    try {
      return make()
    } finally {
      this.#isGuarded = before
    }
  }

  /** Note a call that started: all its keys were free. */
  enter(call: Ordered): void {
    if (call.mode === 'write') {
      this.#writes++
      // To look whether its keys are free gave gates to all others; but the store may have called back since.
      if (this.#row.length > 0) return this.#hold(call)
    }
    call.seat = this.#row.length
    this.#row.push(call)
  }

  /** Take a place at every key; `start` is called when all are free, after which they are entered. */
  wait(call: Ordered, start: () => void): void {
    const { items, mode } = call
    this.#giveGates()
    if (mode === 'write') this.#writes++
    const ticket: Ticket = { mode, missing: 0, start }
    call.gates = this.#gatesOf(items)
    for (const gate of call.gates) {
      if (isOpen(gate, mode)) hold(gate, mode)
      else {
        ticket.missing++
        ;(gate.waiting ??= []).push(ticket)
      }
    }
    if (ticket.missing === 0) start()
  }

  /** Note the end of a call. */
  leave(call: Ordered): void {
    if (call.mode === 'write') this.#writes--
    if (call.seat >= 0) return this.#leaveRow(call)
    this.#held -= call.gates.length
    for (const gate of call.gates) release(gate, call.mode)
    call.gates = none
  }

  /** The last of the row takes the seat. */
  #leaveRow(call: Ordered): void {
    const last = this.#row.pop() as Ordered
    if (last !== call) {
      this.#row[call.seat] = last
      last.seat = call.seat
    }
    call.seat = -1
  }

  #areOpen(items: readonly Keyed[], mode: Mode): boolean {
    if (this.#isGuarded) for (const guard of this.#guards) guard.before(items)
    if (mode === 'write' || this.#row[0]?.mode === 'write') this.#giveGates()
    for (const { key } of items) if (!isOpen(this.#gates.get(key), mode)) return false
    return true
  }

  #giveGates(): void {
    for (const call of this.#row) {
      call.seat = -1
      this.#hold(call)
    }
    this.#row.length = 0
  }

  #hold(call: Ordered): void {
    call.gates = this.#gatesOf(call.items)
    for (const gate of call.gates) hold(gate, call.mode)
  }

  #gatesOf(items: readonly Keyed[]): readonly Gate[] {
    // Before the first gate is made: a sweep would remove a gate that is not held yet.
    if (this.#gates.size >= fewGates + 2 * this.#held) this.#sweep()
    if (items.length === 1) {
      this.#held++
      return [this.#gate((items[0] as Keyed).key)]
    }
    // A key that a call names twice has one gate: behind itself it would wait for ever.
    const gates = Array.from(new Set(items.map(({ key }) => key)), (key) => this.#gate(key))
    this.#held += gates.length
    return gates
  }

  #gate(key: string): Gate {
    let gate = this.#gates.get(key)
    if (gate === undefined) {
      gate = { readers: 0, writers: 0, waiting: undefined, first: 0 }
      this.#gates.set(key, gate)
    }
    return gate
  }

  /** Gates at rest stay until there are many: a `Map` whose entries come and go is made anew every few of them. */
  #sweep(): void {
    const held = new Map<string, Gate>()
    this.#gates.forEach((gate, key) => {
      if (!isAtRest(gate)) held.set(key, gate)
    })
    this.#gates = held
  }
}

const fewGates = 64
const none: readonly Gate[] = []

/** Whether a call only looks. */
export type Mode = 'read' | 'write'

/** Acts on keys before calls on them. */
export interface Guard {
  before(items: readonly Keyed[]): void
}

/** Anything about one key. */
export interface Keyed {
  readonly key: string
}

/** A call, with what `ProgramOrder` keeps of it. */
export interface Ordered {
  readonly items: readonly Keyed[]
  readonly mode: Mode
  /** Where it stands in the row; -1 for a call that has gates. */
  seat: number
  /** The gate of each key, if it has them. */
  gates: readonly Gate[]
}

/** The calls that run on a key, and those that wait. */
export interface Gate {
  readers: number
  /** More than one only if a call was made while another one of its key started. */
  writers: number
  /** Waiting calls, first come first; `undefined` while there are none. */
  waiting: Ticket[] | undefined
  /** Where those who wait begin: to shift a long array moves all of it. */
  first: number
}

interface Ticket {
  readonly mode: Mode
  missing: number
  readonly start: () => void
}

function isOpen(gate: Gate | undefined, mode: Mode): boolean {
  if (gate === undefined) return true
  return gate.writers === 0 && gate.waiting === undefined && (mode === 'read' || gate.readers === 0)
}

function isAtRest({ readers, writers, waiting }: Gate): boolean {
  return readers === 0 && writers === 0 && waiting === undefined
}

function hold(gate: Gate, mode: Mode): void {
  if (mode === 'write') gate.writers++
  else gate.readers++
}

function release(gate: Gate, mode: Mode): void {
  if (mode === 'write') gate.writers--
  else gate.readers--
  if (gate.waiting !== undefined) admit(gate, gate.waiting)
}

/** Start the first call; if it is a reader, also the readers right behind it. */
function admit(gate: Gate, waiting: Ticket[]): void {
  while (gate.waiting !== undefined && gate.writers === 0) {
    const ticket = waiting[gate.first] as Ticket
    if (ticket.mode === 'write' && gate.readers > 0) return
    // Half of it at a time, so that what was let in is forgotten.
    if (++gate.first * 2 > waiting.length) {
      waiting.splice(0, gate.first)
      gate.first = 0
    }
    if (waiting.length === 0) gate.waiting = undefined
    hold(gate, ticket.mode)
    if (--ticket.missing === 0) ticket.start()
  }
}
