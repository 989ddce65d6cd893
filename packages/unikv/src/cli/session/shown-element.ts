import { shownText } from '@unikv/bench/studies/session'
import type { Element } from '@unikv/config'

/** An element as results may show it: no text or attribute in it has the secrets of a URL. */
export function shownElement(own: Element): Element {
  return {
    ...own,
    attributes: new Map([...own.attributes].map(([name, value]) => [name, shownText(value)])),
    text: own.text === undefined ? undefined : shownText(own.text),
    children: own.children.map(shownElement),
  }
}
