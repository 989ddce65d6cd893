import { checkOptions, type OptionAliases, type OptionNames } from '../options/check-options.ts'
import type {
  CallSettings,
  ClearOptions,
  CountOptions,
  DeleteItem,
  DeleteOptions,
  IncrementOptions,
  RangeSettings,
  ScanOptions,
  SetExpiry,
  SetItem,
  SetManyOptions,
  SetOptions,
  TouchOptions,
  UpdateOptions,
  WriteOptions,
} from './settings.ts'

// Options of the calls of a KeyValue, besides keys and values. Checked for the promises and the synchronous twin alike.

/** Settings that every call takes. */
export const call: OptionNames<CallSettings> = { timeoutMs: true, signal: true, consistency: true }
const expiry: OptionNames<SetExpiry> = { ttlMs: true, expiresAt: true }
const setMany: OptionNames<SetManyOptions> = { ...expiry, ...call }
const range: OptionNames<RangeSettings<unknown>> = { gt: true, gte: true, lt: true, lte: true }
const count: OptionNames<CountOptions> = { prefix: true, ...call }
const scan: OptionNames<ScanOptions<unknown>> = {
  ...count,
  ...range,
  reverse: true,
  limit: true,
  pageSize: true,
  cursor: true,
  onUnreadable: true,
}
const increment: OptionNames<IncrementOptions> = { initial: true, ...setMany }
const deleteItem: OptionNames<DeleteItem<unknown>> = { type: true, key: true, ifVersion: true }

const names: Readonly<Record<string, Readonly<Record<string, true>>>> = {
  set: { ifVersion: true, ...setMany } satisfies OptionNames<SetOptions>,
  setMany,
  'an entry of setMany': expiry,
  delete: { ifVersion: true, ...call } satisfies OptionNames<DeleteOptions>,
  update: setMany satisfies OptionNames<UpdateOptions>,
  touch: setMany satisfies OptionNames<TouchOptions>,
  increment,
  incrementEntry: increment,
  write: { atomic: true, ...call } satisfies OptionNames<WriteOptions>,
  'a set of write': { ...deleteItem, value: true, ...expiry } satisfies OptionNames<
    SetItem<unknown, unknown>
  >,
  'a delete of write': deleteItem,
  keys: scan,
  entries: scan,
  count,
  clear: { all: true, ...count, ...range } satisfies OptionNames<ClearOptions>,
}

/** The names that other libraries use for these. */
const ttl = 'ttlMs'
export const aliases: OptionAliases = {
  ex: ttl,
  px: ttl,
  expires: ttl,
  expiresin: ttl,
  expire: ttl,
  maxage: ttl,
  expirationttl: ttl,
  ifabsent: 'ifVersion',
  ifnotexists: 'ifVersion',
  nx: 'ifVersion',
  exat: 'expiresAt',
  pxat: 'expiresAt',
  expiration: 'expiresAt',
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
