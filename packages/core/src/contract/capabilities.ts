/**
 * The abilities of a store: a closed list of data, literal in the types of its adapter (an operation that is not
 * declared is a compile error) and there at run time. The conformance suite tests what is declared and asserts
 * `UNSUPPORTED` for what is not; nothing is accepted and ignored. A layer that narrows or changes a capability
 * shows a changed object.
 */
export interface Capabilities {
  /** How keys can be listed; `false`: not at all. */
  readonly scan: ScanCapability | false
  /** `ifVersion` is checked by the store, atomically with the write. */
  readonly conditionalWrite: boolean
  /** `ifNotVersion`: the body travels only if the version differs. */
  readonly conditionalRead: boolean
  /** How records expire; `false`: not at all. */
  readonly ttl: TtlCapability | false
  /** A new expiry in one atomic step of the store that keeps value and version. */
  readonly touch: boolean
  /** Atomic addition to a safe integer, done by the store. */
  readonly increment: boolean
  /** A delete tells whether there was a live record, without another request. @default false */
  readonly existed?: boolean | undefined
  /** Records are found by the fields of their documents, by the store itself. @default false */
  readonly find?: boolean | undefined
  /** The limits of one call. */
  readonly batch: BatchCapability
  /** Longest canonical key in bytes. */
  readonly maxKeyBytes: number
  /** Longest value in bytes, as it arrives at the store. */
  readonly maxValueBytes: number
  /**
   * The failure that an acknowledged write survives: none (`memory`), a crash of the process (`buffered`), a crash of the
   * machine (`flushed`), the loss of a machine (`replicated`).
   */
  readonly durability: 'memory' | 'buffered' | 'flushed' | 'replicated'
  /** The guarantee of one read about concurrent writes to the key. */
  readonly isolation: 'linearizable' | 'read-committed' | 'eventual'
  /** Consistency levels that a call may ask for. */
  readonly consistency: readonly string[]
  /** The store may drop live records by itself, to make room. */
  readonly evicts: boolean
  /** The stored data is encrypted: layers that keep copies elsewhere must encrypt them too. */
  readonly sealed: boolean
  /** Values are documents (JSON data) instead of bytes. */
  readonly documents: boolean
  /** A `set` may be sent as the delta that makes its value of the one before, and the server applies it. @default false */
  readonly deltas?: boolean | undefined
  /** Forms that layers below give to values, so that a layer that makes no sense over them can refuse. @default none */
  readonly holds?: readonly ('compressed' | 'deltas' | 'parts')[] | undefined
  /** Which verbs answer without a promise. */
  readonly sync: 'all' | 'reads' | 'none'
}

/** How keys can be listed. */
export interface ScanCapability {
  /** `bytes`: by unsigned UTF-8 bytes of the canonical key; `none`: no order. */
  readonly order: 'bytes' | 'none'
  /** How often a key that lives throughout the scan appears. */
  readonly delivery: 'once' | 'at-least-once'
  /**
   * `indexed`: a prefix costs what it returns; `filtered`: the whole dataset is walked; `namespaces`: keys are hashed
   * below, so a prefix is looked up as far as whole namespaces go, at what that costs in the store, and the rest is
   * filtered.
   */
  readonly prefix: 'indexed' | 'filtered' | 'namespaces'
  /** Keys can be listed from the last to the first, at the cost of what is returned. Needs `order: 'bytes'`. @default false */
  readonly reverse?: boolean | undefined
}

/** How records expire. */
export interface TtlCapability {
  /** `native`: the store removes expired records; `lazy`: they are hidden at once and removed when met. */
  readonly kind: 'native' | 'lazy'
  /** Granularity of `expiresAt` in milliseconds. */
  readonly precisionMs: number
}

/** The limits of one call of a verb, and how single calls are merged into such calls. */
export interface BatchCapability {
  /**
   * Which mutations of one write become visible and durable together (`partition`: those of one partition of the
   * store). A failed condition concerns its item alone; any other refusal under `all` refuses the whole write, and one
   * read of up to `maxItems` keys sees one state of them (what a cache above it answers aside).
   */
  readonly atomicity: 'none' | 'partition' | 'all'
  /** Most items in one call. Core cuts larger batches. */
  readonly maxItems: number
  /** Most bytes of keys and values in one call. Core cuts larger batches. */
  readonly maxBytes: number
  /**
   * How concurrent single calls are merged: below `min` at the same time each goes out by itself, and a batch of `max`
   * is full. `false`: never merged (stores that answer at once, or that batch by themselves).
   */
  readonly coalesce: { readonly min: number; readonly max: number } | false
}

/** The capabilities that are yes or no. */
export type Flag = {
  [K in keyof Capabilities]-?: Exclude<Capabilities[K], undefined> extends boolean ? K : never
}[keyof Capabilities]

type Optional = {
  [K in keyof Capabilities]-?: undefined extends Capabilities[K] ? K : never
}[keyof Capabilities]

/** The meaning of capabilities that are left out. */
export const leftOut: Required<Pick<Capabilities, Optional>> = {
  existed: false,
  find: false,
  deltas: false,
  holds: [],
}

/** The values that a capability may have, as data. */
export type CapabilityKind =
  /** Yes or no, and in words what yes means. */
  | { readonly flag: string; readonly optional?: true }
  /** From the weakest promise to the strongest. */
  | { readonly ranks: readonly (boolean | string)[] }
  /** The most that is possible, the least that is told apart, or an amount that promises nothing. */
  | { readonly amount: 'most' | 'least' | 'own' }
  /** A list of words, each of which is a promise. */
  | { readonly words: true }
  /** Several of them, or with `orNot` also `false`. */
  | { readonly parts: Readonly<Record<string, CapabilityKind>>; readonly orNot?: true }

/**
 * All capabilities, for what compares, checks and shows them: tables of stores, features to ask for by name, the conformance suite,
 * stores behind a wire. A new one has its line here and above, and is true where it is implemented.
 */
export const capabilityTable: Readonly<Record<keyof Capabilities, CapabilityKind>> = {
  scan: {
    parts: {
      order: { ranks: ['none', 'bytes'] },
      delivery: { ranks: ['at-least-once', 'once'] },
      prefix: { ranks: ['filtered', 'namespaces', 'indexed'] },
      reverse: { flag: 'keys are listed from the last to the first', optional: true },
    },
    orNot: true,
  },
  conditionalWrite: { flag: 'compare-and-set by version' },
  conditionalRead: { flag: 'revalidation: a known value does not travel again' },
  ttl: { parts: { kind: { ranks: ['lazy', 'native'] }, precisionMs: { amount: 'least' } }, orNot: true },
  touch: { flag: 'a new expiry in one step' },
  increment: { flag: 'atomic counters' },
  batch: {
    parts: {
      atomicity: { ranks: ['none', 'partition', 'all'] },
      maxItems: { amount: 'most' },
      maxBytes: { amount: 'most' },
      coalesce: { parts: { min: { amount: 'own' }, max: { amount: 'own' } }, orNot: true },
    },
  },
  maxKeyBytes: { amount: 'most' },
  maxValueBytes: { amount: 'most' },
  durability: { ranks: ['memory', 'buffered', 'flushed', 'replicated'] },
  isolation: { ranks: ['eventual', 'read-committed', 'linearizable'] },
  consistency: { words: true },
  existed: { flag: 'a delete tells whether a record was there' },
  evicts: { ranks: [true, false] },
  sealed: { ranks: [false, true] },
  documents: { flag: 'values are documents that the store can query' },
  find: { flag: 'records are found by the fields of documents' },
  deltas: { flag: 'the server applies what changed of a value' },
  holds: { words: true },
  sync: { ranks: ['none', 'reads', 'all'] },
}

type Said<F, K extends keyof Capabilities> = { readonly [P in K]-?: P extends keyof F ? F[P] : never }

/** Numbers, which no type depends on. */
type Limit = 'batch' | 'maxKeyBytes' | 'maxValueBytes'

/**
 * The type of a declaration that an adapter writes once, as an object: its capabilities as they stand there, any limits, and the rest as
 * options say. Comments come from `Capabilities`.
 *
 * ```ts
 * const always = { touch: true, increment: false } as const satisfies Partial<Capabilities>
 * export interface FileCapabilities extends DeclaredBy<typeof always> {}
 * ```
 */
export type DeclaredBy<F extends Partial<Capabilities>> = Said<
  F,
  Exclude<keyof F & keyof Capabilities, Limit>
> &
  Omit<Capabilities, Exclude<keyof F, Limit>>
