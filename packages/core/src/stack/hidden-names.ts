import type { Capabilities } from '../contract/capabilities.ts'

/** Whether a store knows keys by hashes alone. One that lists nothing does not tell. */
export function hidesNames({ scan }: Pick<Capabilities, 'scan'>): boolean {
  return scan !== false && scan.prefix === 'namespaces'
}

/** Whether what is kept of the keys of one store in another would show names that the first one hides. */
export function showsNamesOf(
  hiding: Pick<Capabilities, 'scan'>,
  keeping: Pick<Capabilities, 'scan'>,
): boolean {
  return hidesNames(hiding) && keeping.scan !== false && !hidesNames(keeping)
}
