import { heartbeat } from '../platform/heartbeat.ts'
import { Call } from './call.ts'
import { ownSignal } from './own-signal.ts'
import type { CallOptions, LayerFacts } from './store.ts'

/**
 * Which call learns that a derived call was sent.
 *
 * - `'shared'`: the two calls have one flag.
 * - `'own'`: the original is not told, because the derived call is not a part of its write.
 * - `'part'`: once the derived call was sent, so was the original. To set it back to `false` changes this one only.
 */
export type Sent = 'shared' | 'own' | 'part'

/** How a derived call differs from its original. */
export interface Derivation {
  /** Another consistency level; `null`: none. @default that of the original */
  readonly consistency?: string | null | undefined
  /** @default 'shared' */
  readonly sent?: Sent | undefined
  /** Ends the derived call in place of the signal of the original, which it must follow. */
  readonly signal?: AbortSignal | undefined
  /** An earlier deadline, as a time of `performance.now()`. One after that of the original has no effect. */
  readonly until?: number | undefined
  /** Told besides the facts of the original. */
  readonly facts?: LayerFacts | undefined
}

/** A call that stands for this one: what is not said here is as there, also what changes there later. */
export function derive(base: CallOptions, how: Derivation): Call & CallOptions {
  const { consistency = base.consistency, signal = base.signal, sent = 'shared', until, facts } = how
  const endsAt = until === undefined ? undefined : until - heartbeat.lostMs
  const call = new Derived(signal, consistency ?? undefined, base, sent, endsAt)
  if (facts !== undefined) call.says = { ...base.facts, ...facts }
  return call
}

/** A call that begins now and ends after so many milliseconds (`Infinity`: never), or by its signal. */
export function within(timeoutMs: number, { signal, consistency, facts }: Told = {}): Call {
  const call = new Call(timeoutMs, ownSignal(signal), consistency)
  if (facts !== undefined) call.says = facts
  void call.deadlineAt // begins now
  return call
}

/** Options for calls of a tool that wants no deadline. Make one for each call; a copy by `...` has no deadline. */
export function callOptions(options: ToolCall = {}): Call & CallOptions {
  heartbeat.now() // what was lost before this deadline does not move it
  const { deadlineAt: until, signal, consistency, facts } = options
  const never = { deadlineAt: Number.POSITIVE_INFINITY }
  return derive(never, { until, signal: ownSignal(signal), consistency, facts, sent: 'own' })
}

/** The properties that a tool gives to its call. */
export interface ToolCall {
  /** The deadline on the clock of `performance.now()`. @default none */
  readonly deadlineAt?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly consistency?: string | undefined
  readonly facts?: LayerFacts | undefined
}

/** The same, of a call that has a time of its own. */
type Told = Omit<ToolCall, 'deadlineAt'>

/** Knows whether it was sent, and whom to tell. */
class Derived extends Call {
  declare protected readonly base: CallOptions
  readonly #sharing: Sent
  /** As if no time had been lost. */
  readonly #endsAt: number | undefined
  #sent = false

  constructor(
    signal: AbortSignal | undefined,
    consistency: string | undefined,
    base: CallOptions,
    sharing: Sent,
    endsAt: number | undefined,
  ) {
    super(0, signal, consistency, base)
    this.#endsAt = endsAt
    this.#sharing = sharing
  }

  override get deadlineAt(): number {
    const { deadlineAt } = this.base
    return this.#endsAt === undefined ? deadlineAt : Math.min(this.#endsAt + heartbeat.lostMs, deadlineAt)
  }

  override get sent(): boolean {
    return this.#sharing === 'shared' ? this.base.sent === true : this.#sent
  }

  override set sent(sent: boolean) {
    this.#sent = sent
    if (this.#sharing === 'shared' || (this.#sharing === 'part' && sent)) this.base.sent = sent
  }
}
