import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SizesResult, writeResultFolder } from '@unikv/workload'
import type { Terminal } from './terminal.ts'

/**
 * Write the result folder; if that fails, one for temporary files; if that fails too, print the whole result. Hours of
 * measuring are not lost to a full disk.
 *
 * @returns whether they are where they were wanted
 */
export async function saveResults(
  out: string,
  result: SizesResult,
  { error, out: print }: Terminal,
): Promise<boolean> {
  const failure = await failureOf(out, result)
  if (failure === undefined) return true
  const fallback = join(tmpdir(), `unikv-bench-${result.runId}`)
  const second = await failureOf(fallback, result)
  const wrong = `unikv: The results could not be written to ${out} (${failure})`
  if (second === undefined) error(`${wrong}. They are in ${fallback}.\n`)
  else {
    error(`${wrong}, nor to ${fallback} (${second}). They follow as JSON: keep them as result.json.\n`)
    print(`${JSON.stringify(result)}\n`)
  }
  return false
}

async function failureOf(folder: string, result: SizesResult): Promise<string | undefined> {
  try {
    await writeResultFolder(folder, result)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}
