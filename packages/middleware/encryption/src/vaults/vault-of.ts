import type { SealerOptions } from '../envelope/sealer.ts'
import { isKeyring } from '../keys/keyring.ts'
import { kmsVault } from './kms-vault.ts'
import { keyringVault, type Vault } from './vault.ts'

/**
 * The vault of a keyring, or of the keys of a service.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function vaultOf(options: SealerOptions): Vault {
  const { keys } = options
  return isKeyring(keys) ? keyringVault({ ...options, keys }) : kmsVault({ ...options, keys })
}
