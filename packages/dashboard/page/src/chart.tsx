import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'

/** One curve. */
export interface Curve {
  readonly name: string
  /** A color of the tokens: `--series-0`. */
  readonly color: string
  readonly values: readonly (number | null)[]
}

interface ChartProps {
  readonly title: string
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly curves: readonly Curve[]
  readonly valueText: (value: number) => string
  /** Places where something changed: lines from top to bottom. @default none */
  readonly moments?: readonly number[]
  /** Mark each value. @default false */
  readonly hasMarks?: boolean
}

const height = 160

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const hours = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: 'numeric' })
const days = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

/** A moment on an axis whose marks are so many seconds apart. */
function momentText(at: number, apart: number): string {
  return (apart < 3_600 ? clock : apart < 86_400 ? hours : days).format(at * 1_000)
}

function drawMoments(drawn: uPlot, moments: readonly number[], color: string): void {
  const { ctx, bbox } = drawn
  ctx.save()
  ctx.strokeStyle = color
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio])
  for (const at of moments) {
    const x = Math.round(drawn.valToPos(at, 'x', true))
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

/** Curves over time. */
export function Chart({ title, times, curves, valueText, moments = [], hasMarks = false }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const data = [times, ...curves.map(({ values }) => values)] as unknown as uPlot.AlignedData
  const names = curves.map(({ name }) => name).join()
  useEffect(() => {
    const box = place.current as HTMLDivElement
    const color = (name: string): string => getComputedStyle(box).getPropertyValue(name)
    const axis = {
      stroke: () => color('--soft'),
      grid: { stroke: () => color('--hair'), width: 1 },
      ticks: { show: false },
    }
    const made = new uPlot(
      {
        width: box.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false },
        hooks: { draw: [(drawn) => drawMoments(drawn, moments, color('--warn'))] },
        scales: { y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] } },
        axes: [
          {
            ...axis,
            size: 38,
            gap: 9,
            space: 90,
            incrs: [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 21_600, 86_400, 604_800],
            values: (_, ticks, __, ___, apart) => ticks.map((tick) => momentText(tick, apart)),
          },
          {
            ...axis,
            size: 62,
            values: (_, ticks) => ticks.map((tick) => (tick === 0 ? '0' : valueText(tick))),
          },
        ],
        series: [
          {},
          ...curves.map(({ color: name }) => ({
            stroke: () => color(name),
            width: 1.75,
            points: { show: hasMarks, size: 7 },
          })),
        ],
      },
      data,
      box,
    )
    plot.current = made
    const sized = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height }))
    sized.observe(box)
    return () => {
      sized.disconnect()
      made.destroy()
    }
  }, [names, title, moments.join()])
  useEffect(() => plot.current?.setData(data), [times.at(-1), times.length])
  const last = curves.map(({ name, values }) => `${name}: ${valueText(values.at(-1) ?? 0)}`).join(', ')
  return (
    <figure class="chart">
      <figcaption>
        {title}
        <span class="legend">
          {curves.map(({ name, color }) => (
            <span key={name} class="key" data-color={color.slice(9)}>
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={place} role="img" aria-label={`${title}. Now ${last}.`} data-points={times.length} />
    </figure>
  )
}
