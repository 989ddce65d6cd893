import type { Element } from './element.ts'
import { isTag, propertyTag } from './names.ts'

/** Tags from one element to another below it. A step that cannot be a tag is the name of a property. */
export type Steps = readonly string[]

/** The steps of `a/b`; `undefined` if one is empty or means a folder. */
export function stepsOf(path: string): Steps | undefined {
  const steps = path.split('/').map((step) => step.trim())
  return steps.some((step) => step === '' || step === '.' || step === '..') ? undefined : steps
}

/** The first child that a step leads to. */
export function childAt({ children }: Element, step: string): Element | undefined {
  return children.find((child) => leadsTo(step, child))
}

/** The element at the end of a path. */
export function elementAt(from: Element, steps: Steps): Element | undefined {
  let at: Element | undefined = from
  for (const step of steps) if (at !== undefined) at = childAt(at, step)
  return at
}

/** Whether a step leads to this child. */
function leadsTo(step: string, { tag, attributes }: Element): boolean {
  return tag === step || (tag === propertyTag && !isTag(step) && attributes.get('name') === step)
}

/** The text by which a step finds a child: its tag, or the name of a property that cannot be a tag. */
export function stepTo({ tag, attributes }: Element): string {
  const name = attributes.get('name')
  return tag === propertyTag && name !== undefined && !isTag(name) ? name : tag
}
