import type { Capabilities } from '@unikv/core'

/** Features of stores by name, as in `unikv stores --with conditionalWrite,ttl`. */
export const features: Readonly<Record<string, Feature>> = {
  scan: { means: 'keys can be listed', holds: ({ scan }) => scan !== false },
  order: {
    means: 'keys are listed in the order of their bytes',
    holds: ({ scan }) => scan !== false && scan.order === 'bytes',
  },
  reverse: {
    means: 'keys are listed from the last to the first',
    holds: ({ scan }) => scan !== false && scan.reverse === true,
  },
  prefix: {
    means: 'a prefix costs what it returns',
    holds: ({ scan }) => scan !== false && scan.prefix === 'indexed',
  },
  conditionalWrite: {
    means: 'compare-and-set by version',
    holds: ({ conditionalWrite }) => conditionalWrite,
  },
  create: { means: 'set only if absent', holds: ({ conditionalWrite }) => conditionalWrite !== false },
  conditionalRead: {
    means: 'revalidation: a known value does not travel again',
    holds: ({ conditionalRead }) => conditionalRead,
  },
  ttl: { means: 'records expire', holds: ({ ttl }) => ttl !== false },
  nativeTtl: {
    means: 'the store itself removes expired records',
    holds: ({ ttl }) => ttl !== false && ttl.kind === 'native',
  },
  touch: { means: 'a new expiry in one step', holds: ({ touch }) => touch },
  increment: { means: 'atomic counters', holds: ({ increment }) => increment },
  existed: { means: 'a delete tells whether a record was there', holds: ({ existed }) => existed === true },
  atomicBatch: { means: 'a batch takes effect as a whole', holds: ({ batch }) => batch.atomicity === 'all' },
  documents: { means: 'values are documents that the store can query', holds: ({ documents }) => documents },
  find: { means: 'records are found by the fields of documents', holds: ({ find }) => find === true },
  deltas: { means: 'the server applies what changed of a value', holds: ({ deltas }) => deltas === true },
  sync: { means: 'answers without a promise', holds: ({ sync }) => sync === 'all' },
  keeps: { means: 'never drops live records to make room', holds: ({ evicts }) => !evicts },
}

/** One thing that a store can do or not. */
export interface Feature {
  /** In words. */
  readonly means: string
  /** Whether a store with these capabilities can do it. */
  readonly holds: (capabilities: Capabilities) => boolean
}

/** The help text for the features of `--with` and `--without`. */
export function featuresHelp(): string {
  return `\nFeatures for --with and --without:\n${Object.entries(features)
    .map(([name, { means }]) => `  ${name.padEnd(16)} ${means}`)
    .join('\n')}\n`
}
