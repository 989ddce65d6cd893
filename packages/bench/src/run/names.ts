import { StoreError } from '@unikv/core'

/** A name of a target. */
export const targetName: RegExp = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/

/** Names of targets are distinct, and fit into file names. */
export function checkNames(what: string, targets: readonly { readonly name: string }[]): void {
  const seen = new Set<string>()
  for (const { name } of targets) {
    if (!targetName.test(name)) {
      const rule = 'a name begins with a letter or digit, and has up to 32 letters, digits, - and _'
      throw new StoreError('INVALID_CONFIG', `'${name}' cannot name a ${what}: ${rule}.`)
    }
    if (seen.has(name)) {
      throw new StoreError(
        'INVALID_CONFIG',
        `Two of the ${what}s have the name '${name}'. Give them different names with name=URL.`,
      )
    }
    seen.add(name)
  }
}
