/** The words that facts are written in. A list says everything that holds; a scale goes from the least to the most. */
const words = {
  dataModel: {
    label: 'data model',
    means: 'the forms of data that it holds',
    kind: 'list',
    values: ['key-value', 'document', 'wide-column', 'relational', 'object', 'graph'],
  },
  sharding: {
    label: 'sharding',
    means: 'how records are divided over nodes: not at all, by the owner or the clients, by the store itself',
    kind: 'scale',
    values: ['none', 'manual', 'automatic'],
  },
  replication: {
    label: 'replication',
    means: 'how copies on other nodes are kept',
    kind: 'list',
    values: ['asynchronous', 'synchronous', 'quorum', 'multi-leader'],
  },
  automaticFailover: {
    label: 'automatic failover',
    means: 'it goes on by itself when a node fails, with its own means',
    kind: 'flag',
  },
  quorums: {
    label: 'quorums',
    means: 'one can choose how many copies take part in a read or a write',
    kind: 'flag',
  },
  consistency: {
    label: 'consistency',
    means: 'the levels of reads: of some copy, in causal order, of the latest acknowledged write',
    kind: 'list',
    values: ['eventual', 'causal', 'strong'],
  },
  transactions: {
    label: 'transactions',
    means: 'the most that one transaction can change: one record, records of one partition, any records',
    kind: 'scale',
    values: ['none', 'record', 'partition', 'any'],
  },
  secondaryIndexes: {
    label: 'secondary indexes',
    means: 'the indexes on other fields than the key',
    kind: 'list',
    values: ['ordered', 'unique', 'text', 'spatial', 'vector'],
  },
  queries: {
    label: 'queries',
    means: 'the questions that the server itself answers, besides one record by its key',
    kind: 'list',
    values: ['range', 'filter', 'aggregate', 'join', 'sql'],
  },
  inMemory: {
    label: 'in-memory mode',
    means: 'it can keep data in memory alone: not at all, in a paid edition, in every edition',
    kind: 'scale',
    values: ['none', 'paid', 'included'],
  },
  cacheTuning: {
    label: 'cache tuning',
    means: 'the size of its own cache of data can be set',
    kind: 'flag',
  },
  compression: { label: 'compression', means: 'it can compress what it stores', kind: 'flag' },
  tls: { label: 'TLS', means: 'connections of clients can be encrypted, or there are none', kind: 'flag' },
  authentication: {
    label: 'authentication',
    means: 'the ways in which clients prove who they are',
    kind: 'list',
    values: ['password', 'certificate', 'token', 'ldap', 'kerberos', 'signature'],
  },
  accessControl: {
    label: 'access control',
    means: 'users can have different rights',
    kind: 'flag',
  },
  encryptionAtRest: {
    label: 'encryption at rest',
    means: 'it encrypts its files itself: not at all, in a paid edition, in every edition',
    kind: 'scale',
    values: ['none', 'paid', 'included'],
  },
  onlineBackup: {
    label: 'online backup',
    means: 'a backup that can be restored is made while it serves',
    kind: 'flag',
  },
  pointInTimeRecovery: {
    label: 'point-in-time recovery',
    means: 'a backup can be brought to a chosen moment: not at all, in a paid edition, in every edition',
    kind: 'scale',
    values: ['none', 'paid', 'included'],
  },
  onlineScaling: {
    label: 'online scaling',
    means: 'the gain of more nodes while it serves: nothing, more reads, more reads and writes',
    kind: 'scale',
    values: ['none', 'reads', 'writes'],
  },
  license: {
    label: 'license',
    means: 'the licenses among which one can choose, by their SPDX names; LicenseRef- begins others',
    kind: 'choice',
  },
  openSource: {
    label: 'open source',
    means: 'one of its licenses is approved by the Open Source Initiative, or it is in the public domain',
    kind: 'flag',
  },
  selfHosted: { label: 'self-hosted', means: 'it can run on your own machines in production', kind: 'flag' },
} as const

type Words = typeof words

/** The name of a fact, such as `transactions`. */
export type FactName = keyof Words

/** The words of a list or a scale. */
type WordOf<N extends FactName> = Words[N] extends { values: readonly (infer W)[] } ? W : string

/** The value of a fact of this name. */
export type FactValue<N extends FactName = FactName> = {
  readonly [K in FactName]: Words[K]['kind'] extends 'flag'
    ? boolean
    : Words[K]['kind'] extends 'scale'
      ? WordOf<K>
      : readonly WordOf<K>[]
}[N]

/** The requirement for a fact: a flag; the least of a scale; words of a list, or `true` for any at all; some acceptable licenses. */
export type Requirement<N extends FactName = FactName> = {
  readonly [K in FactName]: Words[K]['kind'] extends 'flag'
    ? boolean
    : Words[K]['kind'] extends 'scale'
      ? WordOf<K>
      : Words[K]['kind'] extends 'list'
        ? WordOf<K> | readonly WordOf<K>[] | true
        : string | readonly string[]
}[N]

/** A fact that can be known of stores. */
export interface Question {
  /** Its name in a sentence. */
  readonly label: string
  readonly means: string
  /** `list`: all that holds; `scale`: one word of an order; `flag`: true or false; `choice`: one of them is enough. */
  readonly kind: 'list' | 'scale' | 'flag' | 'choice'
  /** The words, from the least to the most on a scale; none: any name. */
  readonly values?: readonly string[]
}

/** Every fact that can be known of stores, in the order in which it is shown. */
export const vocabulary: Readonly<Record<FactName, Question>> = words

/** The names of all facts. */
export const factNames: readonly FactName[] = Object.keys(words) as FactName[]

/** The value of a fact for people, as in `key-value, document`. */
export function factText(value: FactValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : value.join(', ') || 'none'
}

/** The help text for the facts of `--require`. */
export function factsHelp(): string {
  const lines = Object.entries(vocabulary).map(([name, { kind, values = [] }]) => {
    const words =
      kind === 'flag' ? 'yes or no' : kind === 'choice' ? 'names, as SPDX has them' : values.join(', ')
    const order = kind === 'scale' ? ' (or more)' : ''
    const line = `  ${name.padEnd(21)}${words}${order}`
    return line.length > 80 ? line.replace(/ (?=\S+$)/, `\n${' '.repeat(23)}`) : line
  })
  return `\nFacts for --require, such as tls,transactions=any,queries=filter+join:\n${lines.join('\n')}\n`
}
