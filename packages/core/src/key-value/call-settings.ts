import { checkOptions, type OptionAliases, type OptionNames } from '../options/check-options.ts'
import type {
  CallSettings,
  ClearOptions,
  DeleteOptions,
  IncrementOptions,
  ScanOptions,
  SetManyOptions,
  SetOptions,
} from './key-value.ts'

// Options of the calls of a KeyValue, besides keys and values. Checked for the promises and the synchronous twin alike.

const call: OptionNames<CallSettings> = { timeoutMs: true, signal: true, consistency: true }
const setMany: OptionNames<SetManyOptions> = { ttlMs: true, ...call }
const scan: OptionNames<ScanOptions<unknown>> = {
  prefix: true,
  gt: true,
  gte: true,
  lt: true,
  lte: true,
  limit: true,
  pageSize: true,
  cursor: true,
  ...call,
}

const names: Readonly<Record<string, Readonly<Record<string, true>>>> = {
  set: { ifVersion: true, ...setMany } satisfies OptionNames<SetOptions>,
  setMany,
  delete: { ifVersion: true, ...call } satisfies OptionNames<DeleteOptions>,
  touch: setMany,
  increment: { initial: true, ...setMany } satisfies OptionNames<IncrementOptions>,
  keys: scan,
  entries: scan,
  count: { prefix: true, ...call },
  clear: { prefix: true, all: true, ...call } satisfies OptionNames<ClearOptions>,
}

/** The names that other libraries use for these. */
const ttl = 'ttlMs'
const aliases: OptionAliases = {
  ex: ttl,
  px: ttl,
  expires: ttl,
  expiresin: ttl,
  expire: ttl,
  expiresat: ttl,
  maxage: ttl,
  expirationttl: ttl,
  ifabsent: 'ifVersion',
  ifnotexists: 'ifVersion',
  nx: 'ifVersion',
  deadline: 'timeoutMs',
  abortsignal: 'signal',
  count: 'limit',
  match: 'prefix',
  pattern: 'prefix',
  start: 'gte',
  end: 'lt',
}

/** Refuse settings that this call does not take. Not called for `undefined`, which costs nothing. */
export function checkCallOptions(operation: string, settings: unknown): void {
  checkOptions(operation, settings, names[operation] ?? call, 'INVALID_ARGUMENT', aliases)
}
