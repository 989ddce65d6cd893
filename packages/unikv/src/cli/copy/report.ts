import { formatExact, formatLength, formatSize } from '@unikv/bench/words'
import type { FillReport, Verification } from '@unikv/snapshot'
import { exitCodes } from '../exit-code.ts'
import { printable } from '../printable.ts'
import type { Terminal } from '../terminal.ts'
import { keyText } from './key-text.ts'

/** Print what was done, and return the exit code: a failure if the target differs. */
export function reported(
  { out, width }: Terminal,
  { json }: { readonly json?: true },
  verb: 'Copied' | 'Restored',
  report: FillReport,
): number {
  out(
    json === true
      ? `${JSON.stringify(inJson(report))}\n`
      : lines(verb, report)
          .map((line) => `${printable(line, width, 'key')}\n`)
          .join(''),
  )
  const { verification } = report
  return verification === undefined || isEqual(verification) ? exitCodes.ok : exitCodes.failure
}

function isEqual({ missing, different, extra = 0 }: Verification): boolean {
  return missing === 0 && different === 0 && extra === 0
}

function lines(verb: string, report: FillReport): string[] {
  const { records, bytes, expired, isResumed, elapsedMs, verification } = report
  const resumed = isResumed ? ', those before the stop included' : ''
  return [
    `${verb} ${formatExact(records)} records (${sizeText(bytes)}) in ${formatLength(elapsedMs)}${resumed}.`,
    ...(expired === 0 ? [] : [`Left out ${formatExact(expired)} records that had expired.`]),
    ...(verification === undefined ? ['Not verified.'] : verified(verification)),
  ]
}

function verified(found: Verification): string[] {
  const { compared, missing, different, extra, examples } = found
  if (compared === 0 && isEqual(found)) return ['There was nothing to compare.']
  const others = extra === undefined ? ' Other records of the target were not looked for.' : ''
  if (isEqual(found)) return [`Verified: all ${formatExact(compared)} are equal.${others}`]
  const counts = [
    `${formatExact(missing)} missing`,
    `${formatExact(different)} different`,
    ...(extra === undefined ? [] : [`${formatExact(extra)} that the source does not have`]),
  ]
  return [
    `The target differs: of ${formatExact(compared)} records ${counts.join(', ')}.${others}`,
    ...Object.entries(examples).flatMap(([kind, keys]) => keys.map((key) => `  ${kind}: ${keyText(key)}`)),
    'Records that were written to the source meanwhile count as different. Stop its writers, and run again with --overwrite.',
  ]
}

/** A size in at most three digits. */
export function sizeText(bytes: number): string {
  return formatSize(bytes < 1_000 ? bytes : Number(bytes.toPrecision(3)))
}

function inJson(report: FillReport): object {
  const { verification } = report
  if (verification === undefined) return report
  const examples = Object.fromEntries(
    Object.entries(verification.examples).map(([kind, keys]) => [kind, keys.map(keyText)]),
  )
  return { ...report, verification: { ...verification, examples } }
}
