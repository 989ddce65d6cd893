import type { Capabilities, ScanCapability } from '@unikv/core'
import { maxTrueKeyBytes } from './named-records.ts'

/** Effects of hashed key names on capabilities, beyond encryption. A store that lists nothing still lists nothing. */
export interface NamedCapabilities {
  readonly scan: ScanCapability & { readonly order: 'none'; readonly prefix: 'namespaces' }
  readonly maxKeyBytes: number
}

/** Keys lie in the order of their hashes; how long they are is nothing to the store. */
export function namedCapabilities({ scan }: Capabilities): Pick<Capabilities, 'scan' | 'maxKeyBytes'> {
  return {
    scan: scan === false ? false : { order: 'none', delivery: scan.delivery, prefix: 'namespaces' },
    maxKeyBytes: maxTrueKeyBytes,
  }
}
