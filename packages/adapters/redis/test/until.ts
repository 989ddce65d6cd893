import { setTimeout as pause } from 'node:timers/promises'

/** Resolves when it is so; an error after 20 s. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = performance.now() + 60_000
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`never: ${what}`)
    await pause(2)
  }
}
