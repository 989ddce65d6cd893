import { StoreError } from '../contract/errors.ts'
import { isBytes } from '../platform/realms.ts'
import { checkFactoryOptions } from './factory-options.ts'

const pemNames = { ca: true, cert: true, key: true } as const
const flagNames = ['rejectUnauthorized', 'verifyIdentity']

/**
 * Check settings of TLS: their names, and that none holds what the driver would ignore or take for another setting.
 *
 * @param whose The factory, such as `postgres`
 * @param more The names that this store takes besides `ca`, `cert`, `key` and `rejectUnauthorized`
 * @throws {StoreError} `INVALID_CONFIG`, without what the settings hold
 */
export function checkTls(whose: string, tls: unknown, more: readonly string[] = []): void {
  if (tls === undefined) return
  const names = {
    ...pemNames,
    rejectUnauthorized: true,
    ...Object.fromEntries(more.map((name) => [name, true])),
  }
  checkFactoryOptions(`${whose}.tls`, tls, names)
  for (const [name, value] of Object.entries(tls as object)) if (value !== undefined) checkOne(name, value)
}

function checkOne(name: string, value: unknown): void {
  if (flagNames.includes(name)) {
    if (typeof value !== 'boolean')
      throw new StoreError('INVALID_CONFIG', `tls.${name} must be true or false.`)
  } else if (name === 'servername') {
    if (typeof value !== 'string')
      throw new StoreError('INVALID_CONFIG', 'tls.servername must be the name of a host.')
  } else if (!isPem(name, value))
    throw new StoreError('INVALID_CONFIG', `tls.${name} must be PEM: a string or bytes.`)
}

/** Certificates of authorities may be several. */
function isPem(name: string, value: unknown): boolean {
  if (name === 'ca' && Array.isArray(value)) return value.every((one) => isPem('', one))
  return typeof value === 'string' || isBytes(value)
}
