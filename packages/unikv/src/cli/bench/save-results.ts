import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyResult, AnyStudy } from '@unikv/bench'
import { writeResultFolder } from '@unikv/bench/report'
import type { Terminal } from '../terminal.ts'
import type { BenchRequest } from './bench-request.ts'
import type { KeptResults } from './kept-results.ts'

/**
 * Write the result folder; if that fails, one for temporary files; if that fails too, print the whole result. Hours of
 * measuring are not lost to a full disk.
 *
 * @returns whether they are where they were wanted
 */
export async function saveResults(
  { study, out, format, isQuiet }: Pick<BenchRequest, 'study' | 'out' | 'format' | 'isQuiet'>,
  result: AnyResult,
  { error, out: print }: Pick<Terminal, 'error' | 'out'>,
): Promise<boolean> {
  const failure = await failureOf(study, out, result)
  // Where the report is belongs to the text; programs that read the other formats find it on stderr.
  const tell = format === 'text' ? print : isQuiet ? undefined : error
  if (failure === undefined) {
    tell?.(`Report: ${join(out, 'report.html')}\n`)
    return true
  }
  const fallback = join(tmpdir(), `unikv-bench-${result.runId}`)
  const second = await failureOf(study, fallback, result)
  const wrong = `unikv: The results could not be written to ${out} (${failure})`
  if (second === undefined) error(`${wrong}. They are in ${fallback}.\n`)
  else {
    error(`${wrong}, nor to ${fallback} (${second}). They follow as JSON: save them as result.json.\n`)
    print(`${JSON.stringify(result)}\n`)
  }
  return false
}

/** Keep the result in its store, and say where; whether that went well. */
export async function keepResult(
  { format, isQuiet }: Pick<BenchRequest, 'format' | 'isQuiet'>,
  kept: KeptResults,
  result: AnyResult,
  { error, out: print }: Pick<Terminal, 'error' | 'out'>,
): Promise<boolean> {
  const tell = format === 'text' ? print : isQuiet ? undefined : error
  try {
    tell?.(`Kept: ${await kept.keep(result)}\n`)
    return true
  } catch (failure) {
    error(`unikv: The result could not be kept by --results: ${(failure as Error).message}\n`)
    return false
  }
}

async function failureOf(study: AnyStudy, folder: string, result: AnyResult): Promise<string | undefined> {
  try {
    await writeResultFolder(study, folder, result)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}
