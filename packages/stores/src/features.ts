import { type Capabilities, capabilityFlags } from '@unikv/core'

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
  create: { means: 'set only if absent', holds: ({ conditionalWrite }) => conditionalWrite !== false },
  ttl: { means: 'records expire', holds: ({ ttl }) => ttl !== false },
  nativeTtl: {
    means: 'the store itself removes expired records',
    holds: ({ ttl }) => ttl !== false && ttl.kind === 'native',
  },
  atomicBatch: { means: 'a batch takes effect as a whole', holds: ({ batch }) => batch.atomicity === 'all' },
  sync: { means: 'answers without a promise', holds: ({ sync }) => sync === 'all' },
  keeps: { means: 'never drops live records to make room', holds: ({ evicts }) => !evicts },
  ...Object.fromEntries(
    Object.entries(capabilityFlags).map(([name, means]): [string, Feature] => [
      name,
      { means, holds: (capabilities) => capabilities[name as keyof Capabilities] === true },
    ]),
  ),
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
