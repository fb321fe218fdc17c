import Link from 'next/link';

export default function Page() {
  return <Link href="/thanks">Place the order</Link>;
}
