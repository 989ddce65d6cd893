import { checkOptions } from './check-options.ts'

/** The names of options in other libraries, in lower case, and the possible names here. */
const groups: readonly (readonly [others: string, here: string])[] = [
  [
    'uri connectionstring connection dsn host hostname hosts server address port node nodes contactpoints servers url endpoint db',
    'url servers contactPoints endpoint path directory',
  ],
  [
    'prefix keyprefix namespace dataset table tablename collection keyspace',
    'dataset prefix table collection',
  ],
  ['dir folder root directory path file filename location', 'directory path'],
  ['max maxsize size maxitems maxkeys capacity entries', 'maxEntries maxBytes'],
  ['ttl ttlms maxage stdttl expires expiresin expire lifetime', 'freshForMs'],
  ['stale swr grace stalewhilerevalidate', 'staleWhileRevalidateMs staleIfErrorMs graceMs'],
  ['poolsize pool max connections connectionlimit maxsockets', 'maxConnections'],
  ['create', 'prepare'],
  ['ssl', 'tls'],
  ['user password username auth', 'auth url'],
  ['accesskeyid secretaccesskey sessiontoken', 'credentials'],
  ['key secret keyring password passphrase', 'keys'],
  ['redis pg pool mongo db instance connection', 'client pool'],
  ['database', 'database keyspace url'],
  ['retries maxretries', 'retry attempts'],
  ['mode readonly', 'values'],
  ['type codec', 'algorithm'],
]

/** Names here by the other name. A name in several lines may mean any of them. */
const aliases: Readonly<Record<string, string>> = aliasesOf()

function aliasesOf(): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [others, here] of groups)
    for (const other of others.split(' ')) found[other] = `${found[other] ?? ''} ${here}`.trim()
  return found
}

/**
 * Refuse options of a store, a layer or a tool that it does not know, with the name that was probably meant.
 *
 * @param whose The factory, such as `redis`
 * @param names All options by name: their table, or `OptionNames` of their type
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkFactoryOptions(
  whose: string,
  options: unknown,
  names: Readonly<Record<string, unknown>>,
): void {
  checkOptions(whose, options, names, 'INVALID_CONFIG', aliases)
}
