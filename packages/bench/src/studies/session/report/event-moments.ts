import { beginsOf } from '../../../driven/report/views.ts'
import type { Figure, FigureMoment } from '../../../report/figure.ts'
import type { SessionResult } from '../result.ts'

/** Figures over time show when commands of events were run. */
export function withEvents(figures: readonly Figure[], result: SessionResult): readonly Figure[] {
  const moments = eventMoments(result)
  if (moments.length === 0) return figures
  return figures.map((figure) =>
    figure.group === 'time'
      ? { ...figure, note: `${figure.note} Dotted lines: commands of events.`, moments }
      : figure,
  )
}

/** Events on the axis of the figures over time, in seconds: it has all runs one after the other. */
function eventMoments({ jobs, targets }: SessionResult): readonly FigureMoment[] {
  const begins = beginsOf(targets)
  return jobs.flatMap(({ runs }) =>
    runs.flatMap(({ run, events }) =>
      events.map(({ atMs, command }) => ({ at: (begins.get(run) ?? 0) + atMs / 1_000, name: command })),
    ),
  )
}
