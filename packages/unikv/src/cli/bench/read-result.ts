import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { AnyResult, AnyStudy } from '@unikv/bench'
import { parseResult } from '@unikv/bench/report'
import type { ListedStudy } from '@unikv/bench/studies'
import { StoreError } from '@unikv/core'
import { readWhole } from '@unikv/core/files'
import { KeptResults, resultPlace, shownPlace } from './kept-results.ts'

/**
 * The result of a study in a folder, in its `result.json`, or in the store that keeps it.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if there is none
 */
export async function readResult(study: AnyStudy, place: string): Promise<AnyResult> {
  const { file, text } = await resultText(place, study.name)
  try {
    return parseResult(study, text)
  } catch (cause) {
    const { format, formatVersion: version } = headOf(text)
    const isOther =
      format === `unikv.bench-${study.name}` && typeof version === 'number' && version !== study.formatVersion
    const why = isOther
      ? `has version ${version} of its format, but this unikv reads version ${study.formatVersion}: measure again, or use the unikv that wrote it.`
      : `is not a result of unikv bench ${study.name}.`
    throw new StoreError('INVALID_ARGUMENT', `${file} ${why}`, { cause })
  }
}

/**
 * The study whose result lies there.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if there is none
 */
export async function studyOf(listed: readonly ListedStudy[], place: string): Promise<AnyStudy> {
  const { file, text } = await resultText(place, listed.map(({ name }) => name).join(', '))
  const { format } = headOf(text)
  const study = listed.find(({ name }) => `unikv.bench-${name}` === format)
  if (study !== undefined) return study.load()
  throw new StoreError('INVALID_ARGUMENT', `${file} is not a result of unikv bench.`)
}

/** The type of a result; nothing, if it is not one. */
function headOf(text: string): { readonly format?: unknown; readonly formatVersion?: unknown } {
  try {
    return Object(JSON.parse(text)) as ReturnType<typeof headOf>
  } catch {
    return {}
  }
}

async function keptText(place: string): Promise<string> {
  const kept = await KeptResults.open(place)
  try {
    return await kept.text()
  } finally {
    await kept.close()
  }
}

async function resultText(
  place: string,
  names: string,
): Promise<{ readonly file: string; readonly text: string }> {
  if (resultPlace(place) !== undefined) return { file: shownPlace(place), text: await keptText(place) }
  const isFolder = (await stat(place).catch(() => undefined))?.isDirectory() === true
  const file = isFolder ? join(place, 'result.json') : place
  try {
    return { file, text: (await readWhole(file)).toString('utf8') }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const message = `${place} holds no result of unikv bench ${names} (${code} of ${resolve(file)}).`
    throw new StoreError('INVALID_ARGUMENT', message, { cause })
  }
}
