import { type Histogram, histogramJson, histogramOf } from '@unikv/core/histogram'
import type { SessionSample } from '../../../session/run/run-sessions.ts'
import type { SessionCounts } from '../../../session/run/sessions.ts'

/** Figures of a run of sessions beside its interactions. */
export type OwnFigures = Omit<SessionSample, 'sample'>

/** The figures of several threads or workers that began together: counts and histograms are added. */
export function mergedFigures(parts: readonly OwnFigures[]): OwnFigures {
  return {
    sessions: mergedCounts(parts.map(({ sessions }) => sessions)),
    modes: mergedModes(parts.map(({ modes }) => modes)),
    waits: histogramJson(parts.map(({ waits }) => histogramOf(waits)).reduce(added)),
    statistics: sums(parts.map(({ statistics }) => statistics)),
  }
}

function mergedCounts(parts: readonly SessionCounts[]): SessionCounts {
  const total = (of: (counts: SessionCounts) => number): number =>
    parts.reduce((sum, counts) => sum + of(counts), 0)
  return {
    begun: total(({ begun }) => begun),
    ended: total(({ ended }) => ended),
    interactions: total(({ interactions }) => interactions),
    mostInteractions: Math.max(...parts.map(({ mostInteractions }) => mostInteractions)),
    newUsers: total(({ newUsers }) => newUsers),
  }
}

function mergedModes(parts: readonly OwnFigures['modes'][]): OwnFigures['modes'] {
  const names = [...new Set(parts.flatMap((modes) => Object.keys(modes)))]
  return Object.fromEntries(names.map((name) => [name, sums(parts.map((modes) => modes[name] ?? {}))]))
}

function sums(parts: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const all: Record<string, number> = {}
  for (const [name, count] of parts.flatMap((part) => Object.entries(part)))
    all[name] = (all[name] ?? 0) + count
  return all
}

function added(sum: Histogram, one: Histogram): Histogram {
  sum.merge(one)
  return sum
}
