import { StoreError } from '@unikv/core'

const schemes: ReadonlyMap<string, string> = new Map([
  ['redis:', 'redis:'],
  ['rediss:', 'rediss:'],
  ['valkey:', 'redis:'],
  ['valkeys:', 'rediss:'],
])

/** Where a queue is. */
export interface QueueAddress {
  /** For the client, with its password. */
  readonly url: string
  /** For messages, without user info. */
  readonly shown: string
}

/**
 * Read the URL of a queue: `redis://[user:password@]host[:port][/database]`, or the same with `rediss`, `valkey` or `valkeys`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`, without the secrets of the URL
 */
export function queueAddress(text: string): QueueAddress {
  const found = URL.canParse(text) ? new URL(text) : undefined
  const scheme = schemes.get(found?.protocol ?? '')
  if (found === undefined || scheme === undefined) throw wrong(`'${withoutSecrets(text)}' is not`)
  const shown = `${found.protocol}//${found.host}${found.pathname}`
  if (found.hostname === '' || found.search !== '' || found.hash !== '' || !/^\/?\d*$/.test(found.pathname))
    throw wrong(`'${shown}${found.search === '' ? '' : '?…'}${found.hash === '' ? '' : '#…'}' is not`)
  const user = found.username === '' && found.password === '' ? '' : `${found.username}:${found.password}@`
  return { url: `${scheme}//${user}${found.host}${found.pathname}`, shown }
}

function wrong(what: string): StoreError {
  const message = `${what} the address of a queue. Write redis://HOST:PORT, or rediss:// for TLS; a user, a password and the number of a database may be in it.`
  return new StoreError('INVALID_ARGUMENT', message)
}

function withoutSecrets(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:(?:\/\/)?)?.*@/is, '$1').replace(/[?#].*$/s, '')
}
