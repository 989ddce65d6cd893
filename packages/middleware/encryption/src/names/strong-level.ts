import type { Capabilities } from '@unikv/core'

/** Where not every read is strong: the level of those which no replica and no cache in between may answer. */
export function strongLevel({ consistency, isolation }: Capabilities): 'strong' | undefined {
  return isolation !== 'linearizable' && consistency.includes('strong') ? 'strong' : undefined
}
