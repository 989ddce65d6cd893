/**
 * Program order, key by key, for calls that are still under way: a read waits for earlier writes of its key, a
 * write for earlier reads and writes of it. First come, first served; calls that name several keys take their
 * place at all of them at once, so that nothing can deadlock. Keys at rest cost nothing.
 */
export class ProgramOrder {
  readonly #gates = new Map<string, Gate>()

  /** Whether a call on these keys may start now. */
  isFree(items: readonly Keyed[], mode: Mode): boolean {
    return this.#gates.size === 0 || this.#areOpen(items, mode)
  }

  /** Note a call that started: all its keys were free. */
  enter(items: readonly Keyed[], mode: Mode): void {
    for (const { key } of items) hold(this.#gate(key), mode)
  }

  /** Take a place at every key; `start` is called when all are free, after which they are entered. */
  wait(items: readonly Keyed[], mode: Mode, start: () => void): void {
    const ticket: Ticket = { mode, missing: 0, start }
    for (const { key } of items) {
      const gate = this.#gate(key)
      if (isOpen(gate, mode)) hold(gate, mode)
      else {
        ticket.missing++
        ;(gate.waiting ??= []).push(ticket)
      }
    }
    if (ticket.missing === 0) start()
  }

  /** Note the end of a call. */
  leave(items: readonly Keyed[], mode: Mode): void {
    for (const { key } of items) {
      const gate = this.#gates.get(key)
      if (gate === undefined) continue
      if (mode === 'write') gate.writing = false
      else gate.readers--
      if (gate.waiting !== undefined) admit(gate, gate.waiting)
      if (gate.readers === 0 && !gate.writing && gate.waiting === undefined) this.#gates.delete(key)
    }
  }

  #areOpen(items: readonly Keyed[], mode: Mode): boolean {
    for (const { key } of items) if (!isOpen(this.#gates.get(key), mode)) return false
    return true
  }

  #gate(key: string): Gate {
    let gate = this.#gates.get(key)
    if (gate === undefined) {
      gate = { readers: 0, writing: false, waiting: undefined }
      this.#gates.set(key, gate)
    }
    return gate
  }
}

/** Whether a call only looks. */
export type Mode = 'read' | 'write'

/** Anything about one key. */
export interface Keyed {
  readonly key: string
}

interface Gate {
  readers: number
  writing: boolean
  /** Those who wait, first come first; `undefined` while nobody does. */
  waiting: Ticket[] | undefined
}

interface Ticket {
  readonly mode: Mode
  missing: number
  readonly start: () => void
}

function isOpen(gate: Gate | undefined, mode: Mode): boolean {
  if (gate === undefined) return true
  return !gate.writing && gate.waiting === undefined && (mode === 'read' || gate.readers === 0)
}

function hold(gate: Gate, mode: Mode): void {
  if (mode === 'write') gate.writing = true
  else gate.readers++
}

/** Let in whoever is first, and the readers behind a reader. */
function admit(gate: Gate, waiting: Ticket[]): void {
  while (waiting.length > 0 && !gate.writing) {
    const ticket = waiting[0] as Ticket
    if (ticket.mode === 'write' && gate.readers > 0) return
    waiting.shift()
    if (waiting.length === 0) gate.waiting = undefined
    hold(gate, ticket.mode)
    if (--ticket.missing === 0) ticket.start()
  }
}
