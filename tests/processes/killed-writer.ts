import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Make one script of a module and all that it imports, but for the packages in `external`. */
export async function bundle(module: URL, script: string, external: string[] = []): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(module)],
    outfile: script,
    bundle: true,
    external,
    platform: 'node',
    format: 'esm',
    conditions: ['@unikv/source'],
  })
}

/** Numbers from 0 to `below` that follow from a seed. */
export function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Start a writer, kill it so long after it told enough, and return the lines that it told. */
export async function killed(
  command: readonly string[],
  isEnough: (told: readonly string[]) => boolean,
  afterMs: number,
): Promise<readonly string[]> {
  const writer = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  const told: string[] = []
  const lines = createInterface({ input: writer.stdout })
  const over = Promise.all([once(lines, 'close'), once(writer, 'exit')])
  const enough = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      told.push(line)
      if (isEnough(told)) resolve()
    })
  })
  await Promise.race([enough, over])
  await pause(afterMs)
  writer.kill('SIGKILL')
  await over
  return told
}
