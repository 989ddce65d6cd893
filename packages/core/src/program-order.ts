/**
 * Program order, key by key, for calls that are still under way: a read waits for earlier writes of its key, a
 * write for earlier reads and writes of it. First come, first served; calls that name several keys take their
 * place at all of them at once, so that nothing can deadlock. Keys at rest cost nothing.
 */
export class ProgramOrder {
  readonly #gates = new Map<string, Gate>()

  /** Whether no call is under way, so that `free` need not be asked. */
  get idle(): boolean {
    return this.#gates.size === 0
  }

  /** Whether a call on this key may start now. */
  free(key: string, mode: Mode): boolean {
    const gate = this.#gates.get(key)
    if (gate === undefined) return true
    return !gate.writing && gate.waiting.length === 0 && (mode === 'read' || gate.readers === 0)
  }

  /** Note a call that started: all its keys were free. */
  enter(keys: readonly string[], mode: Mode): void {
    for (const key of keys) this.#hold(this.#gate(key), mode)
  }

  /** Take a place at every key; `start` is called when all are free, after which they are entered. */
  wait(keys: readonly string[], mode: Mode, start: () => void): void {
    const ticket: Ticket = { mode, missing: 0, start }
    for (const key of keys) {
      const gate = this.#gate(key)
      if (this.free(key, mode)) this.#hold(gate, mode)
      else {
        ticket.missing++
        gate.waiting.push(ticket)
      }
    }
    if (ticket.missing === 0) start()
  }

  /** Note the end of a call. */
  leave(keys: readonly string[], mode: Mode): void {
    for (const key of keys) {
      const gate = this.#gates.get(key)
      if (gate === undefined) continue
      if (mode === 'write') gate.writing = false
      else gate.readers--
      this.#admit(key, gate)
    }
  }

  #admit(key: string, gate: Gate): void {
    while (gate.waiting.length > 0 && !gate.writing) {
      const ticket = gate.waiting[0] as Ticket
      if (ticket.mode === 'write' && gate.readers > 0) return
      gate.waiting.shift()
      this.#hold(gate, ticket.mode)
      if (--ticket.missing === 0) ticket.start()
    }
    if (gate.readers === 0 && !gate.writing && gate.waiting.length === 0) this.#gates.delete(key)
  }

  #hold(gate: Gate, mode: Mode): void {
    if (mode === 'write') gate.writing = true
    else gate.readers++
  }

  #gate(key: string): Gate {
    let gate = this.#gates.get(key)
    if (gate === undefined) {
      gate = { readers: 0, writing: false, waiting: [] }
      this.#gates.set(key, gate)
    }
    return gate
  }
}

/** Whether a call only looks. */
export type Mode = 'read' | 'write'

interface Gate {
  readers: number
  writing: boolean
  readonly waiting: Ticket[]
}

interface Ticket {
  readonly mode: Mode
  missing: number
  readonly start: () => void
}
