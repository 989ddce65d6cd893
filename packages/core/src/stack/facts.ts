import type { Awaitable } from '../contract/awaitable.ts'
import type { Bytes } from '../contract/bytes.ts'
import type { CallOptions, LayerFacts, ReadMeta } from '../contract/store.ts'
import type { AnyStack, AnyStore } from './any-store.ts'
import type { BeginJoint } from './joint.ts'
import type { RecordCalls, RecordStreams } from './streams.ts'

// Layers of different packages, which do not import each other, tell each other these facts. One that a package tells itself is declared there.

/** A kind of fact that layers tell each other past those that do not know of it. */
export interface Fact<T> {
  /** The fact among these; `undefined`: it is not told. */
  of(facts: LayerFacts | undefined): T | undefined
  /** This fact, beside others. */
  with(value: T, others?: LayerFacts): LayerFacts
}

/** A new kind. `name` begins with that of its package, and no other kind has it. Facts of ranges and changes are data: they cross threads. */
export function fact<T>(name: string): Fact<T> {
  return {
    of: (facts) => facts?.[name] as T | undefined,
    with: (value, others) => ({ ...others, [name]: value }),
  }
}

// Calls tell these to the layers below.

/**
 * With a call for `'strong'`: the whole record is wanted from the store. A layer that keeps records asks for it without a
 * version, and replaces the record that it has kept, even where the version is the same.
 */
export const wantsWhole: Fact<true> = fact('whole')

/** With a call for `'strong'`: its maker speaks to a layer below, so no layer between shares or keeps the answer. */
export const isForOne: Fact<true> = fact('forOne')

/**
 * With the loads, also for `'strong'`, that a cache makes for plain reads: a layer with newer data than the store may answer,
 * and so may a stand-in for a store that fails, as the cache keeps nothing that is told to be stale.
 */
export const forPlainReads: Fact<PlainReaders> = fact('forPlainReads')

/** Those who wait for such a load. */
export interface PlainReaders {
  /** When the first of them gives up: the load itself may have more time, for those who join. */
  readonly awaitedUntil: number
}

/** When the caller of a call gives up. */
export function awaitedUntil({ deadlineAt, facts }: CallOptions): number {
  return forPlainReads.of(facts)?.awaitedUntil ?? deadlineAt
}

// Calls tell these to the layers above.

const absences: Fact<Map<string, ReadMeta>> = fact('absences')

/** Note that this layer has answered a key as absent in place of the store, as such an answer has no `meta` of its own. */
export function noteAbsent(call: CallOptions, key: string, meta: ReadMeta): void {
  const noted = absences.of(call.told)
  // Not by `with`, whose key V8 does not know: that would cost half a cached absence.
  if (noted === undefined) call.told = { ...call.told, absences: new Map([[key, meta]]) }
  else noted.set(key, meta)
  if (meta.stale === true) call.told = staleAbsence.with(meta, call.told)
}

/** The notes on keys that were answered as absent. */
export function absencesOf({ told }: CallOptions): ReadonlyMap<string, ReadMeta> | undefined {
  return absences.of(told)
}

/** Told if some key, perhaps by another name, was answered as absent by a store that stands in for the one that was asked. */
export const staleAbsence: Fact<ReadMeta> = fact('staleAbsence')

// Ranges tell this.

/**
 * Everything that starts with one of these is gone when this listing is over: `clear` deletes the keys of a page before it
 * asks for the next page. A layer that keeps copies must then forget them, listed or not. `[]`: one of several listings of
 * `clear`, and not the last. Told at all, the listing must be of what is there, not of a copy.
 */
export const clearedPrefixes: Fact<readonly string[]> = fact('clears')

// Sets tell these about their value. For another value they do not count, so a layer that changes values need not know of them.

/** The value as the codec encoded it when the call was made, for calls that reach the codec later. */
export const encodedValue: Fact<EncodedValue> = fact('encoded')

/** A value as it was at the time of its call. */
export interface EncodedValue {
  /** The codec; any other takes the value itself. */
  readonly by: object
  /** The value that it stands for. */
  readonly of: unknown
  /** The encoded value, or the reason why the codec rejected it. */
  readonly as: Awaitable<unknown>
}

/**
 * A shorter way to say the value to a store that declares `deltas`, which may take it or leave it. It comes with a
 * version in `ifVersion`.
 */
export const valueDelta: Fact<ValueDelta> = fact('delta')

/** The delta that makes a value from the previous one. */
export interface ValueDelta {
  /** The value that it makes. */
  readonly of: unknown
  /**
   * In the delta format (docs/reference/delta-format.md), to be applied to the value of the version in `ifVersion`. At most
   * 4,096 bytes, and in place or for a value of at most 65,536: a longer one keeps the server busy, and need not be taken.
   */
  readonly bytes: Bytes
  /** Nothing moves: what remains of the value stays where it is. */
  readonly inPlace: boolean
}

// Plans of layers tell these.

/** A codec: its encoding of values. */
export const planCodec: Fact<PlanCodec> = fact('codec')

/** The codec of a layer. */
export interface PlanCodec {
  readonly own: {
    readonly name: string
    /** The form in which a value is stored. */
    encode(value: unknown): Awaitable<unknown>
    /** The value that is stored so. */
    decode(stored: unknown): Awaitable<unknown>
  }
  /** Neither what it stores nor what it brings back shares memory with the other. */
  readonly isFresh: boolean
}

/**
 * A write has copied or encoded its values when it calls the store, in the same turn: over a store that answers at once
 * the values need no copy before.
 */
export const takesAtOnce: Fact<boolean> = fact('takesAtOnce')

/**
 * This layer acknowledges writes before its store has them: from now on `hear` is told the key of each such write that is
 * lost, until what is returned is called. Caches above ask for it, and those that others see refuse to stand there.
 */
export const lostWrites: Fact<(hear: (key: string) => unknown) => () => void> = fact('lostWrites')

/**
 * A layer that keeps long values in several records reads and writes them as streams. It is given the calls of the KeyValue on
 * top of the stack, so that what it does has their order, deadlines and end, and the store that the layer stands on.
 */
export const valueStreams: Fact<(calls: RecordCalls, inner: AnyStore) => RecordStreams> = fact('streams')

/**
 * A layer next to the store, by which its records take part in transactions over several of them: begins those over the records
 * of a KeyValue, and refuses one that cannot take part.
 */
export const jointRecords: Fact<(kv: AnyStack) => BeginJoint> = fact('joint')
