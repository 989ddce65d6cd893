import { decoded, invalidConfig } from '@unikv/core/adapter'

/** What the adapter reads of a connection string; the driver reads it whole. */
export interface MongodbAddress {
  readonly url: string
  /** The database that it names. */
  readonly database: string | undefined
  /** Its hosts, for messages: never a user or a password. */
  readonly where: string
  /** What must not be shown: the password, as it stands there and as it is meant. */
  readonly secrets: readonly string[]
}

/** Parameters that say where the servers are and who asks. How to read and write is for the options to say. */
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
