import { Link } from 'react-router';

export default function Home() {
  return <Link to="/thanks">Place the order</Link>;
}
