//! Memory layout, from the BTF of an object or of the kernel.

use libbpf_rs::btf::types::{Composite, DataSec, MemberAttr, Var};
use libbpf_rs::btf::{Btf, BtfKind, BtfType, HasSize as _, ReferencesType as _};

/// A number within a struct: its name, its offset and its size in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    pub name: String,
    pub offset: usize,
    pub size: usize,
}

/// A variable in a section of the object: its offset, its size and its numbers.
pub struct Variable {
    pub offset: usize,
    pub size: usize,
    pub leaves: Vec<Leaf>,
}

/// Returns the variable of this name in this section.
pub fn variable(btf: &Btf<'_>, section: &str, name: &str) -> Option<Variable> {
    let section: DataSec<'_> = btf.type_by_name(section)?;
    section.iter().find_map(|place| {
        let variable: Var<'_> = btf.type_by_id(place.ty)?;
        if variable.name()? != name {
            return None;
        }
        let mut leaves = Vec::new();
        gather(btf, variable.referenced_type(), "", 0, &mut leaves);
        Some(Variable {
            offset: place.offset as usize,
            size: place.size,
            leaves,
        })
    })
}

/// Returns the byte offset of a member of a struct.
pub fn member(btf: &Btf<'_>, of: &str, name: &str) -> Option<usize> {
    let of: Composite<'_> = btf.type_by_name(of)?;
    of.iter()
        .find(|member| member.name.is_some_and(|known| known == name))
        .and_then(|member| normal(&member.attr))
}

/// Collects the numbers of a type, including those of nested structs.
fn gather(btf: &Btf<'_>, ty: BtfType<'_>, name: &str, offset: usize, leaves: &mut Vec<Leaf>) {
    let ty = ty.skip_mods_and_typedefs();
    if let Ok(composite) = Composite::try_from(ty) {
        for member in composite.iter() {
            let name = member.name.unwrap_or_default().to_string_lossy();
            if let (Some(at), Some(ty)) = (normal(&member.attr), btf.type_by_id(member.ty)) {
                gather(btf, ty, &name, offset + at, leaves);
            }
        }
    } else if ty.kind() == BtfKind::Int {
        let int = libbpf_rs::btf::types::Int::try_from(ty);
        leaves.push(Leaf {
            name: name.to_owned(),
            offset,
            size: int.map_or(0, |int| int.size()),
        });
    }
}

/// Returns the offset in bytes; `None` for a bit field.
fn normal(attr: &MemberAttr) -> Option<usize> {
    match attr {
        MemberAttr::Normal { offset } => Some(*offset as usize / 8),
        MemberAttr::BitField { .. } => None,
    }
}
