import { formatSize } from '../../../data/size-list.ts'
import { formatCount } from '../../../report/words.ts'
import { type Axis, axisWords } from '../axis.ts'
import type { Curve } from '../result.ts'

/** A value of the axis: `1 kB`, `95 %`, `1,000`. */
export function valueText({ field }: Axis, value: number): string {
  if (field === 'value-size') return formatSize(value)
  return field === 'read-share' ? `${value} %` : value.toLocaleString('en-US')
}

/** A value and what it counts: `100 callers`, `values of 1 kB`. */
export function placeText(axis: Axis, value: number): string {
  const text = valueText(axis, value)
  if (axis.field === 'value-size') return `values of ${text}`
  if (axis.field === 'read-share') return `${text} reads`
  const words = axisWords[axis.field]
  return `${text} ${value === 1 ? words.replace('s', '') : words}`
}

/** A curve: `redis, read`. */
export function curveText({ store, load }: Pick<Curve, 'store' | 'load'>): string {
  return `${store}, ${load}`
}

/** Operations a second. */
export function rateText(rate: number): string {
  return `${formatCount(rate)}/s`
}
