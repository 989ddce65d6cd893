import { decoded, invalidConfig } from '@unikv/core/adapter'

/** The parts of a connection string that the adapter reads; the driver reads it whole. */
export interface MongodbAddress {
  readonly url: string
  /** The database that it names. */
  readonly database: string | undefined
  /** Its hosts, for messages: never a user or a password. */
  readonly where: string
  /** The password, as it stands there and as it is meant: it must not be shown. */
  readonly secrets: readonly string[]
}

/** Parameters that name the servers and the user. The options say how to read and write. */
const parameters: ReadonlySet<string> = new Set([
  'appname',
  'authmechanism',
  'authmechanismproperties',
  'authsource',
  'compressors',
  'directconnection',
  'loadbalanced',
  'replicaset',
  'srvmaxhosts',
  'srvservicename',
  'ssl',
  'tls',
  'tlsallowinvalidcertificates',
  'tlsallowinvalidhostnames',
  'tlscafile',
  'tlscertificatekeyfile',
  'tlscertificatekeyfilepassword',
  'tlsinsecure',
])

/** Several hosts are allowed, so `URL` does not know such an address. */
const form = /^(mongodb(?:\+srv)?):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/

/**
 * Check a connection string.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function addressOf(url: string): MongodbAddress {
  const match = form.exec(url)
  if (match === null)
    throw invalidConfig('url is not a MongoDB URL. Write mongodb://user:password@host:27017/database')
  const [, , user = '', where = '', path = '', query = ''] = match
  checkParameters(query)
  const password = user.slice(user.indexOf(':') + 1)
  return { url, database: decoded(path) || undefined, where, secrets: [password, decoded(password)] }
}

function checkParameters(query: string): void {
  for (const [name, value] of new URLSearchParams(query)) {
    const known = name.toLowerCase()
    if (parameters.has(known)) continue
    if (known === 'retrywrites' || known === 'retryreads') {
      if (value === 'false') continue
      throw invalidConfig(
        `url must not set ${name}, because unikv decides what may be retried. Leave it out.`,
      )
    }
    throw invalidConfig(
      'url has a parameter that is not supported. Use the options durability and consistency, or pass a client.',
    )
  }
}
