import { updateTag } from 'next/cache'

/** A form whose server action updates a tag. */
export default function Page() {
  return (
    <form action={update}>
      <input name="tag" />
    </form>
  )
}

async function update(data) {
  'use server'
  updateTag(String(data.get('tag')))
}
